/* shapes.h - one function a kind of parameter, for manifests that a schema and the tool judge alike. */
#define LIMIT 8

enum side { LEFT, RIGHT };

void scale(int n, double alpha, double *x);
void copy(int n, const double *x, double *out);
void fill_void(int n, void *data);
double pick(int n, const double *x, enum side side);
void with_work(int n, double *x, double *work);
void maybe(int n, double *x, const double *weights);
void two(int n, double _Complex z, double *a, double *b);
