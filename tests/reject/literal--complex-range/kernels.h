void f(float _Complex z);
