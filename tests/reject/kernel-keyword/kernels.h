double lambda(double x);
