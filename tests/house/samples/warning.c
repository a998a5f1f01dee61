/* A parameter that nobody uses, and a conversion that loses digits. */
int narrow(int unused, double value);

int narrow(int unused, double value)
{
    int whole = value;
    return whole;
}
