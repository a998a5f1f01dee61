/* The CUDA Runtime's table: against the toolkit's header where there is one, and how it is found. */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "cuda.h"
#include "session.h"

#ifdef CUDA_HOME
#include <cuda_runtime_api.h>

/* Every row of the table, word for word: our names for the types stand for the toolkit's here. */
#define cuda_stream cudaStream_t
#define cuda_event cudaEvent_t
#define cuda_host_function cudaHostFn_t
#define cuda_copy_kind enum cudaMemcpyKind
#define cuda_capture_status enum cudaStreamCaptureStatus
#define cuda_capture_mode enum cudaStreamCaptureMode
#define cuda_pointer_buffer struct cudaPointerAttributes
#define cuda_memcpy_3d struct cudaMemcpy3DParms
#define X(field, symbol, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), cudaError_t parameters), #symbol);
CUDA_ENTRY_POINTS(X)
#undef X
#define X(field, symbol) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), const char *(cudaError_t)), #symbol);
CUDA_TEXT_ENTRY_POINTS(X)
#undef X
#undef cuda_stream
#undef cuda_event
#undef cuda_host_function
#undef cuda_copy_kind
#undef cuda_capture_status
#undef cuda_capture_mode
#undef cuda_pointer_buffer
#undef cuda_memcpy_3d

/* The header could rename an entry point to one of another version (as CUDA 12 does with cudaGetDeviceProperties): what is
 * looked up by name must be what was compared above. */
#define TEXT(symbol) #symbol
#define X(field, symbol, parameters) _Static_assert(sizeof(TEXT(symbol)) == sizeof(#symbol), #symbol);
CUDA_ENTRY_POINTS(X)
#undef X
#undef TEXT

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a)
SAME(CUDA_SUCCESS, cudaSuccess);
SAME(CUDA_INVALID_VALUE, cudaErrorInvalidValue);
SAME(CUDA_MEMORY_ALLOCATION, cudaErrorMemoryAllocation);
SAME(CUDA_INITIALIZATION_ERROR, cudaErrorInitializationError);
SAME(CUDA_INSUFFICIENT_DRIVER, cudaErrorInsufficientDriver);
SAME(CUDA_NO_DEVICE, cudaErrorNoDevice);
SAME(CUDA_INVALID_DEVICE, cudaErrorInvalidDevice);
SAME(CUDA_INVALID_RESOURCE_HANDLE, cudaErrorInvalidResourceHandle);
SAME(CUDA_NOT_READY, cudaErrorNotReady);
SAME(CUDA_ILLEGAL_ADDRESS, cudaErrorIllegalAddress);
SAME(CUDA_LAUNCH_FAILURE, cudaErrorLaunchFailure);
SAME(CUDA_STREAM_CAPTURE_UNSUPPORTED, cudaErrorStreamCaptureUnsupported);
SAME(CUDA_STREAM_CAPTURE_IMPLICIT, cudaErrorStreamCaptureImplicit);
SAME(CUDA_HOST_TO_HOST, cudaMemcpyHostToHost);
SAME(CUDA_HOST_TO_DEVICE, cudaMemcpyHostToDevice);
SAME(CUDA_DEVICE_TO_HOST, cudaMemcpyDeviceToHost);
SAME(CUDA_DEVICE_TO_DEVICE, cudaMemcpyDeviceToDevice);
SAME(CUDA_DEFAULT_KIND, cudaMemcpyDefault);
SAME(CUDA_MEMORY_UNREGISTERED, cudaMemoryTypeUnregistered);
SAME(CUDA_MEMORY_HOST, cudaMemoryTypeHost);
SAME(CUDA_MEMORY_DEVICE, cudaMemoryTypeDevice);
SAME(CUDA_MEMORY_MANAGED, cudaMemoryTypeManaged);
SAME(CUDA_STREAM_NON_BLOCKING, cudaStreamNonBlocking);
SAME(CUDA_EVENT_DISABLE_TIMING, cudaEventDisableTiming);
SAME(CUDA_HOST_ALLOC_PORTABLE, cudaHostAllocPortable);
SAME(CUDA_MANAGED_GLOBAL, cudaMemAttachGlobal);
SAME(CUDA_CAPTURE_NONE, cudaStreamCaptureStatusNone);
SAME(CUDA_CAPTURE_ACTIVE, cudaStreamCaptureStatusActive);
SAME(CUDA_CAPTURE_INVALIDATED, cudaStreamCaptureStatusInvalidated);

#define SAME_PLACE(ours, our_field, theirs, their_field)                       \
    _Static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), \
                   #our_field " is where the toolkit has " #their_field)
SAME_PLACE(struct cuda_pointer_attributes, type, struct cudaPointerAttributes, type);
SAME_PLACE(struct cuda_pointer_attributes, device, struct cudaPointerAttributes, device);
SAME_PLACE(struct cuda_pointer_attributes, device_pointer, struct cudaPointerAttributes, devicePointer);
SAME_PLACE(struct cuda_pointer_attributes, host_pointer, struct cudaPointerAttributes, hostPointer);
_Static_assert(sizeof(struct cudaPointerAttributes) <= sizeof(cuda_pointer_buffer), "the buffer is large enough");
_Static_assert(sizeof(struct cudaMemcpy3DParms) == sizeof(cuda_memcpy_3d), "cudaMemcpy3DParms");
SAME_PLACE(cuda_memcpy_3d, from_array, struct cudaMemcpy3DParms, srcArray);
SAME_PLACE(cuda_memcpy_3d, from_position, struct cudaMemcpy3DParms, srcPos);
SAME_PLACE(cuda_memcpy_3d, from.pointer, struct cudaMemcpy3DParms, srcPtr.ptr);
SAME_PLACE(cuda_memcpy_3d, from.pitch, struct cudaMemcpy3DParms, srcPtr.pitch);
SAME_PLACE(cuda_memcpy_3d, from.y_size, struct cudaMemcpy3DParms, srcPtr.ysize);
SAME_PLACE(cuda_memcpy_3d, to_array, struct cudaMemcpy3DParms, dstArray);
SAME_PLACE(cuda_memcpy_3d, to_position, struct cudaMemcpy3DParms, dstPos);
SAME_PLACE(cuda_memcpy_3d, to.pointer, struct cudaMemcpy3DParms, dstPtr.ptr);
SAME_PLACE(cuda_memcpy_3d, extent, struct cudaMemcpy3DParms, extent);
SAME_PLACE(cuda_memcpy_3d, kind, struct cudaMemcpy3DParms, kind);
#endif

static struct session_error error;

START_TEST(test_F38_no_library_is_one_error_that_says_where_it_looked)
{
    setenv("PKWRAP_CUDA_RUNTIME", "/nowhere/libcudart.so.99", 1);
    unsetenv("PKWRAP_DEVICE");
    ck_assert_ptr_null(cuda_runtime(&error));
    ck_assert_int_eq(error.kind, SESSION_NO_RUNTIME);
    ck_assert(strstr(error.text, "/nowhere/libcudart.so.99") != NULL);
    ck_assert_ptr_null(cuda_runtime_in_use());
}
END_TEST

START_TEST(test_F38_a_library_that_is_not_cuda_is_named_with_what_it_lacks)
{
    setenv("PKWRAP_CUDA_RUNTIME", "libm.so.6", 1);
    unsetenv("PKWRAP_DEVICE");
    ck_assert_ptr_null(cuda_runtime(&error));
    ck_assert_int_eq(error.kind, SESSION_NO_RUNTIME);
    ck_assert(strstr(error.text, "libm.so.6 (has no cudaGetDevice)") != NULL);
}
END_TEST

START_TEST(test_F38_without_a_driver_the_error_names_the_library_and_nothing_is_left_behind)
{
    unsetenv("PKWRAP_CUDA_RUNTIME");
    unsetenv("PKWRAP_DEVICE");
    cuda_set_python_folders("/nowhere:/neither");
    const struct cuda_runtime *runtime = cuda_runtime(&error);
    if (runtime != NULL) {
        printf("skipped: this machine has a usable device (%s)\n", runtime->origin);
        return;
    }
    ck_assert_int_eq(error.kind, SESSION_NO_RUNTIME);
    ck_assert_msg(strstr(error.text, "finds no usable device") != NULL || strstr(error.text, "/nowhere/nvidia/*/lib") != NULL,
                  "%s", error.text);
    /* Asked again it says the same. */
    struct session_error again;
    ck_assert_ptr_null(cuda_runtime(&again));
    ck_assert_str_eq(again.text, error.text);
}
END_TEST

/* --- a library to find: every entry point returns success, one device ---------------------------------------------- */

static char folder[64];

static void
make_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/pkwrap-cuda-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    unsetenv("PKWRAP_CUDA_RUNTIME");
    unsetenv("PKWRAP_DEVICE");
}

static void
remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* FOLDER/PLACE/NAME, with that soname; `code` is what it says when it is asked for devices. Its path, in a buffer that the next
 * call reuses. */
static const char *
make_library_named(const char *place, const char *name, int code)
{
    static char path[200];
    char command[600], source[100];
    snprintf(source, sizeof(source), "%s/cudart.c", folder);
    FILE *file = fopen(source, "w");
    ck_assert_ptr_nonnull(file);
#define X(field, symbol, parameters) \
    if (strcmp(#symbol, "cudaGetDeviceCount") != 0) fprintf(file, "int %s(void) { return 0; }\n", #symbol);
    CUDA_ENTRY_POINTS(X)
#undef X
#define X(field, symbol) fprintf(file, "const char *%s(int error) { (void)error; return 0; }\n", #symbol);
    CUDA_TEXT_ENTRY_POINTS(X)
#undef X
    fprintf(file, "int cudaGetDeviceCount(int *count) { *count = 1; return %d; }\n", code);
    fclose(file);
    snprintf(path, sizeof(path), "%s/%s/%s", folder, place, name);
    snprintf(command, sizeof(command), "mkdir -p '%s/%s' && cc -shared -fPIC -Wl,-soname,%s -o '%s' %s", folder, place, name, path,
             source);
    ck_assert_int_eq(system(command), 0);
    return path;
}

static const char *
make_library(const char *place)
{
    return make_library_named(place, "libcudart.so.13", 0);
}

START_TEST(test_the_runtime_of_the_python_environment_comes_before_the_systems)
{
    char site[200];
    const char *path = make_library("site/nvidia/cu13/lib");
    snprintf(site, sizeof(site), "/nowhere:%s/site", folder);
    cuda_set_python_folders(site);
    ck_assert_ptr_nonnull(cuda_runtime(&error));
    ck_assert_str_eq(cuda_runtime_in_use()->origin, path);
    ck_assert_int_eq(cuda_runtime_in_use()->is_emulator, 0);
}
END_TEST

START_TEST(test_a_runtime_that_is_too_new_for_the_driver_gives_way_to_an_older_one)
{
    char site[200];
    make_library_named("site/nvidia/cu13/lib", "libcudart.so.13", CUDA_INSUFFICIENT_DRIVER);
    const char *path = make_library_named("site/nvidia/cuda_runtime/lib", "libcudart.so.12", 0);
    snprintf(site, sizeof(site), "%s/site", folder);
    cuda_set_python_folders(site);
    ck_assert_ptr_nonnull(cuda_runtime(&error));
    ck_assert_str_eq(cuda_runtime_in_use()->origin, path);
}
END_TEST

START_TEST(test_a_folder_is_no_pattern)
{
    char site[200];
    const char *path = make_library("a[b]*\\?/nvidia/cu13/lib");
    snprintf(site, sizeof(site), "%s/a[b]*\\?", folder);
    cuda_set_python_folders(site);
    ck_assert_ptr_nonnull(cuda_runtime(&error));
    ck_assert_str_eq(cuda_runtime_in_use()->origin, path);
}
END_TEST

START_TEST(test_the_toolkits_runtime_is_found_where_nothing_else_is)
{
    char home[200];
    const char *path = make_library("toolkit/lib64");
    snprintf(home, sizeof(home), "%s/toolkit", folder);
    setenv("CUDA_HOME", home, 1);
    const struct cuda_runtime *runtime = cuda_runtime(&error);
    ck_assert_msg(runtime != NULL, "%s", error.text);
    if (strcmp(runtime->origin, path) != 0)
        printf("skipped: a CUDA Runtime of the system serves this driver (%s)\n", runtime->origin);
}
END_TEST

START_TEST(test_the_runtime_that_is_loaded_already_comes_before_the_environments)
{
    char site[200];
    make_library("site/nvidia/cu13/lib");
    const char *path = make_library("loaded");
    snprintf(site, sizeof(site), "%s/site", folder);
    cuda_set_python_folders(site);
    ck_assert_ptr_nonnull(dlopen(path, RTLD_NOW | RTLD_LOCAL));
    ck_assert_ptr_nonnull(cuda_runtime(&error));
    ck_assert_str_eq(cuda_runtime_in_use()->origin, path);
}
END_TEST

START_TEST(test_the_runtime_that_the_user_names_comes_first)
{
    make_library("loaded");
    char loaded[200];
    snprintf(loaded, sizeof(loaded), "%s/loaded/libcudart.so.13", folder);
    ck_assert_ptr_nonnull(dlopen(loaded, RTLD_NOW | RTLD_LOCAL));
    /* By another soname, or the loader would take it for the one that it has. */
    char named[200], command[500];
    snprintf(named, sizeof(named), "%s/mine.so", folder);
    snprintf(command, sizeof(command), "cc -shared -fPIC -o %s %s/cudart.c", named, folder);
    ck_assert_int_eq(system(command), 0);
    setenv("PKWRAP_CUDA_RUNTIME", named, 1);
    ck_assert_ptr_nonnull(cuda_runtime(&error));
    ck_assert_str_eq(cuda_runtime_in_use()->origin, named);
}
END_TEST

START_TEST(test_device_of_the_environment)
{
    setenv("PKWRAP_DEVICE", "emulater", 1);
    ck_assert_ptr_null(cuda_runtime(&error));
    ck_assert(strstr(error.text, "PKWRAP_DEVICE is 'emulater'") != NULL);
    setenv("PKWRAP_DEVICE", "emulator", 1);
    ck_assert_ptr_nonnull(cuda_runtime(&error));
    ck_assert_int_eq(cuda_runtime_in_use()->is_emulator, 1);
    ck_assert_int_eq(cuda_select_emulator(), 0);
}
END_TEST

START_TEST(test_emulator_cannot_be_chosen_when_another_runtime_is_in_use)
{
    static struct cuda_runtime other;
    cuda_replace(&other);
    ck_assert_int_eq(cuda_select_emulator(), -1);
}
END_TEST

/* The child's answer: 0 when every way into the device says that there is none. */
static int
child_sees_no_device(const struct session *staged, void *device_memory)
{
    struct session session;
    struct device_view view = {.pointer = (uintptr_t)device_memory, .rank = 0, .item_size = 8, .download = true};
    if (cuda_runtime_in_use() != NULL || cuda_runtime(&error) != NULL || error.kind != SESSION_FORKED)
        return 1;
    session_init(&session, "k");
    if (session_add(&session, &view) != 0 || session_stage(&session, &error) == 0 || error.kind != SESSION_FORKED)
        return 2;
    session_release(&session);
    /* A call that was under way when the process forked ends with the same error, and can be released. */
    struct session inherited = *staged;
    if (session_write_back(&inherited, &error) == 0 || error.kind != SESSION_FORKED)
        return 3;
    session_release(&inherited);
    return arena_trim() == 0 ? 0 : 4;
}

START_TEST(test_F37_device_use_in_a_forked_child_is_an_error_and_no_hang)
{
    ck_assert_int_eq(cuda_select_emulator(), 0);
    const struct cuda_runtime *runtime = cuda_runtime(&error);
    void *memory;
    ck_assert_int_eq(runtime->malloc(&memory, 8), 0);
    struct session session;
    struct device_view view = {.pointer = (uintptr_t)memory, .item_size = 8, .stream_kind = STREAM_HANDLE, .stream = 1,
                               .download = true, .written = true, .argument = "x"};
    session_init(&session, "k");
    session_add(&session, &view);
    ck_assert_int_eq(session_stage(&session, &error), 0);
    pid_t child = fork();
    if (child == 0) {
        int count, code = runtime->get_device_count(&count); /* through the old table, too */
        _exit(code != CUDA_INITIALIZATION_ERROR ? 9 : child_sees_no_device(&session, memory));
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    ck_assert_int_eq(session_write_back(&session, &error), 0); /* the parent goes on */
    session_release(&session);
}
END_TEST

START_TEST(test_F37_a_fork_before_device_use_leaves_the_child_its_own)
{
    pid_t child = fork();
    if (child == 0) {
        cuda_select_emulator();
        _exit(cuda_runtime(&error) == NULL);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

int
main(void)
{
#ifndef CUDA_HOME
    printf("skipped: comparison with the toolkit's header: no CUDA_HOME\n");
#endif
    Suite *suite = suite_create("cuda");
    TCase *group = tcase_create("loader");
    tcase_add_test(group, test_F38_no_library_is_one_error_that_says_where_it_looked);
    tcase_add_test(group, test_F38_a_library_that_is_not_cuda_is_named_with_what_it_lacks);
    tcase_add_test(group, test_F38_without_a_driver_the_error_names_the_library_and_nothing_is_left_behind);
    tcase_add_test(group, test_device_of_the_environment);
    tcase_add_test(group, test_emulator_cannot_be_chosen_when_another_runtime_is_in_use);
    tcase_add_test(group, test_F37_device_use_in_a_forked_child_is_an_error_and_no_hang);
    tcase_add_test(group, test_F37_a_fork_before_device_use_leaves_the_child_its_own);
    suite_add_tcase(suite, group);
    TCase *found = tcase_create("found");
    tcase_add_checked_fixture(found, make_folder, remove_folder);
    tcase_set_timeout(found, 60);
    tcase_add_test(found, test_the_runtime_of_the_python_environment_comes_before_the_systems);
    tcase_add_test(found, test_a_runtime_that_is_too_new_for_the_driver_gives_way_to_an_older_one);
    tcase_add_test(found, test_a_folder_is_no_pattern);
    tcase_add_test(found, test_the_toolkits_runtime_is_found_where_nothing_else_is);
    tcase_add_test(found, test_the_runtime_that_is_loaded_already_comes_before_the_environments);
    tcase_add_test(found, test_the_runtime_that_the_user_names_comes_first);
    suite_add_tcase(suite, found);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
