void smooth(int n, double x[n]);
