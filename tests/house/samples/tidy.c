/* A quotient that has lost its fraction before it becomes a double. */
double half(int whole);

double half(int whole)
{
    return whole / 2;
}
