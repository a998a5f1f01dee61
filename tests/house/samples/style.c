/* A head with its type on the same line, and a condition that goes on with its operator behind. */
int both(int a, int b);

int both(int a, int b)
{
    return a &&
           b;
}
