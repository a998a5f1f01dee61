"""The functions that CuPy and NumPy both have, with the parameters that CuPy's take, in their order.

A mark says what may be given for a parameter:
    !  a device array or a number; no list, no host array
    @  a list or tuple of device arrays
    ?  anything array-like, host arrays too
without one: anything that is no host array. `*` alone stands before keywords.
"""

FUNCTIONS = """
all a! axis out! keepdims
allclose a! b! rtol atol equal_nan
amax a! axis out! keepdims
amin a! axis out! keepdims
angle z! deg
any a! axis out! keepdims
append arr! values! axis
apply_along_axis func1d axis arr! *args **kwargs
apply_over_axes func a! axes
arange start stop step dtype
argmax a! axis dtype out! keepdims
argmin a! axis dtype out! keepdims
argpartition a! kth axis
argsort a! axis kind
argwhere a!
around a! decimals out!
array2string a! *args **kwargs
array_equal a1! a2! equal_nan
array_equiv a1! a2!
array_repr arr! max_line_width precision suppress_small
array_split ary! indices_or_sections axis
array_str arr! max_line_width precision suppress_small
asarray_chkfinite a? dtype order
astype x! dtype * copy
atleast_1d *arys!
atleast_2d *arys!
atleast_3d *arys!
average a! axis weights! returned * keepdims
bartlett M
base_repr number base padding
binary_repr num width
bincount x! weights! minlength
blackman M
broadcast_arrays *args!
broadcast_shapes *args
broadcast_to array! shape
can_cast from_ to casting
choose a! choices? out! mode
clip a! a_min! a_max! out!
column_stack tup@
common_type *arrays!
compress condition? a! axis out!
concat tup@ axis out! * dtype casting
concatenate tup@ axis out! * dtype casting
convolve a! v! mode
copy a! order
copyto dst! src! casting where!
corrcoef a! y! rowvar bias ddof * dtype
correlate a! v! mode
count_nonzero a! axis
cov a! y! rowvar bias ddof fweights! aweights! * dtype
cross a! b! axisa axisb axisc axis
cumprod a! axis dtype out!
cumsum a! axis dtype out!
cumulative_prod x! * axis dtype out! include_initial
cumulative_sum x! * axis dtype out! include_initial
delete arr! indices axis
diag v? k
diag_indices n ndim
diag_indices_from arr!
diagflat v? k
diagonal a! offset axis1 axis2
diff a! n axis prepend! append!
digitize x! bins! right
dot a! b! out!
dsplit ary! indices_or_sections
dstack tup@
ediff1d arr! to_end! to_begin!
einsum *operands **kwargs
expand_dims a! axis
extract condition! a!
eye N M k dtype order
fill_diagonal a! val wrap
flatnonzero a!
flip a! axis
fliplr a!
flipud a!
format_float_positional x! *args **kwargs
format_float_scientific x! *args **kwargs
frombuffer *args? **kwargs
fromfile *args **kwargs
fromfunction *args **kwargs
fromiter *args **kwargs
fromstring *args **kwargs
genfromtxt *args **kwargs
gradient f! *varargs! axis edge_order
hamming M
hanning M
histogram x! bins range density weights!
histogram2d x! y! bins range weights! density
histogramdd sample! bins range weights! density
hsplit ary! indices_or_sections
hstack tup@ * dtype casting
identity n dtype
imag val!
indices dimensions dtype
inner a! b!
interp x! xp! fp! left right period
intersect1d arr1! arr2! assume_unique return_indices
isclose a! b! rtol atol equal_nan
iscomplex x!
iscomplexobj x!
isfortran a!
isin element! test_elements! assume_unique invert
isneginf x! out!
isposinf x! out!
isreal x!
isrealobj x!
isscalar element?
ix_ *args!
kaiser M beta
kron a! b!
lexsort keys!
linspace start stop num endpoint retstep dtype axis
load file mmap_mode allow_pickle
loadtxt *args **kwargs
logspace start stop num endpoint base dtype axis
mask_indices n mask_func k
matmul *args! axes axis keepdims casting dtype signature order out!
matrix_transpose x!
max a! axis out! keepdims
mean a! axis dtype out! keepdims
may_share_memory a? b? max_work
median a! axis out! overwrite_input keepdims
meshgrid *xi! **kwargs
min a! axis out! keepdims
min_scalar_type a!
moveaxis a! source destination
nan_to_num x! copy nan posinf neginf
nanargmax a! axis dtype out! keepdims
nanargmin a! axis dtype out! keepdims
nancumprod a! axis dtype out!
nancumsum a! axis dtype out!
nanmax a! axis out! keepdims
nanmean a! axis dtype out! keepdims
nanmedian a! axis out! overwrite_input keepdims
nanmin a! axis out! keepdims
nanprod a! axis dtype out! keepdims
nanstd a! axis dtype out! ddof keepdims
nansum a! axis dtype out! keepdims
nanvar a! axis dtype out! ddof keepdims
ndim a?
nonzero a!
outer a! b! out!
packbits a! axis bitorder
pad array! pad_width mode **kwargs
partition a! kth axis
percentile a! q? axis out! overwrite_input method keepdims * interpolation
permute_dims a! axes
piecewise x! condlist funclist
place arr! mask? vals?
poly seq_of_zeros!
polyadd a1! a2!
polyfit x! y! deg rcond full w! cov
polymul a1! a2!
polysub a1! a2!
polyval p! x!
prod a! axis dtype out! keepdims
ptp a! axis out! keepdims
put a! ind? v? mode
put_along_axis arr! indices! values! axis
putmask a! mask! values!
quantile a! q? axis out! overwrite_input method keepdims * interpolation
ravel a! order
ravel_multi_index multi_index dims mode order
real val!
real_if_close a! tol
repeat a! repeats axis
require a! dtype requirements
reshape a! newshape order * copy
resize a! new_shape
result_type *arrays_and_dtypes
roll a! shift axis
rollaxis a! axis start
roots p!
rot90 a! k axes
round a! decimals out!
row_stack tup@ * dtype casting
save file arr? allow_pickle
savetxt fname X? *args **kwargs
savez file *args? **kwds?
savez_compressed file *args? **kwds?
searchsorted a! v! side sorter!
select condlist choicelist default
setdiff1d ar1! ar2! assume_unique
setxor1d ar1! ar2! assume_unique
shape a?
shares_memory a? b? max_work
size a? axis
sort a! axis kind
sort_complex a!
split ary! indices_or_sections axis
squeeze a! axis
stack tup@ axis out! * dtype casting
std a! axis dtype out! ddof keepdims
sum a! axis dtype out! keepdims
swapaxes a! axis1 axis2
take a! indices? axis out!
take_along_axis a! indices! axis
tensordot a! b! axes
tile A! reps
trace a! offset axis1 axis2 dtype out!
transpose a! axes
trapezoid y! x! dx axis
tri N M k dtype
tril m? k
tril_indices n k m
tril_indices_from arr! k
trim_zeros filt! trim
triu m? k
triu_indices n k m
triu_indices_from arr! k
union1d arr1! arr2!
unique ar! return_index return_inverse return_counts axis * equal_nan
unique_all x!
unique_counts x!
unique_inverse x!
unique_values x!
unpackbits a! axis bitorder
unravel_index indices! dims order
unwrap p! discont axis * period
vander x? N increasing
var a! axis dtype out! ddof keepdims
vdot a! b!
vsplit ary! indices_or_sections
vstack tup@ * dtype casting
where condition! x! y!
"""

LINALG = """
cholesky a!
cond x! p
cross x1! x2! * axis
det a!
eig a!
eigh a! UPLO
eigvals a!
eigvalsh a! UPLO
inv a!
lstsq a! b! rcond
matmul *args! axes axis keepdims casting dtype signature order out!
matrix_power M! n
matrix_rank M! tol
matrix_transpose a!
norm x! ord axis keepdims
pinv a! rcond
qr a! mode
slogdet a!
solve a! b!
svd a! full_matrices compute_uv
tensorinv a! ind
tensorsolve a! b! axes
"""

FFT = """
fft a! n axis norm
fft2 a! s axes norm
fftfreq n d
fftn a! s axes norm
fftshift x! axes
hfft a! n axis norm
ifft a! n axis norm
ifft2 a! s axes norm
ifftn a! s axes norm
ifftshift x! axes
ihfft a! n axis norm
irfft a! n axis norm
irfft2 a! s axes norm
irfftn a! s axes norm
rfft a! n axis norm
rfft2 a! s axes norm
rfftfreq n d
rfftn a! s axes norm
"""

STRIDE_TRICKS = """
sliding_window_view x! window_shape axis
"""

# Element by element; numbers and device arrays only.
UFUNCS = """
abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh bitwise_and
bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor cbrt ceil conj conjugate
copysign cos cosh deg2rad degrees divide divmod equal exp exp2 expm1 fabs fix float_power floor floor_divide fmax fmin fmod frexp
gcd greater greater_equal heaviside hypot i0 invert isfinite isinf isnan lcm ldexp left_shift less less_equal log log10 log1p log2
logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod modf multiply negative nextafter not_equal
positive pow power rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinc sinh sqrt square subtract tan tanh
true_divide trunc
"""

# What is the same object in both.
SHARED = """
bool bool_ byte cdouble complex128 complex64 complexfloating csingle double dtype e euler_gamma finfo float16 float32 float64
floating generic half iinfo index_exp inexact inf int16 int32 int64 int8 int_ intc integer intp long longlong nan ndindex newaxis
number pi s_ short signedinteger single ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort
get_printoptions isdtype issubdtype iterable mintypecode printoptions promote_types set_printoptions typename
"""

# Methods of arrays that are NumPy's, with CuPy's parameters behind the array itself.
METHODS = """
all axis out! keepdims
any axis out! keepdims
argmax axis out! dtype keepdims
argmin axis out! dtype keepdims
argpartition kth axis
argsort axis kind
choose choices? out! mode
clip min! max! out!
compress condition? axis out!
conj
conjugate
cumprod axis dtype out!
cumsum axis dtype out!
diagonal offset axis1 axis2
dot b! out!
flatten order
max axis out! keepdims
mean axis dtype out! keepdims
min axis out! keepdims
nonzero
partition kth axis
prod axis dtype out! keepdims
ptp axis out! keepdims
put indices? values? mode
ravel order
repeat repeats axis
round decimals out!
searchsorted v! side sorter!
sort axis kind
squeeze axis
std axis dtype out! ddof keepdims
sum axis dtype out! keepdims
swapaxes axis1 axis2
take indices? axis out!
trace offset axis1 axis2 dtype out!
var axis dtype out! ddof keepdims
"""

# Functions and methods that can do without the elements: their result is mostly a view.
VIEWS = set(
    """
array_split atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to common_type conj conjugate diag diagonal dsplit
expand_dims flip fliplr flipud hsplit imag iscomplexobj isfortran isrealobj matrix_transpose may_share_memory moveaxis ndim
permute_dims ravel real reshape result_type rollaxis rot90 shape shares_memory size sliding_window_view split squeeze swapaxes
transpose vsplit
""".split()
)

# Functions whose Python numbers, and tuples of them, are answers; those of all others are arrays without dimensions.
ANSWERS = set(
    """
array2string array_repr array_str base_repr binary_repr broadcast_shapes can_cast common_type format_float_positional
format_float_scientific iscomplexobj isfortran isrealobj isscalar may_share_memory min_scalar_type ndim result_type shape
shares_memory size
""".split()
)

# Defaults that differ from NumPy's: integers out of bounds wrap around.
DEFAULTS = {
    "put": {"mode": "wrap"},
    "take": {"mode": "wrap"},
    "ravel_multi_index": {"mode": "wrap"},
}

# Parameters whose None means that they are not given, where NumPy would take it for a value.
NOT_GIVEN = {
    "bincount": ["minlength"],
    "copyto": ["where"],
    "diff": ["prepend", "append"],
    "may_share_memory": ["max_work"],
    "prod": ["keepdims"],
    "shares_memory": ["max_work"],
}
