/* deep.c - a thread with a stack of the size that is needed: memory that is not touched costs nothing. */
#include "deep.h"

#include <pthread.h>

#include "diag.h"

/* What one level of recursion takes, with room to spare: the frames of the functions in it are a tenth of that. */
enum { BYTES_PER_LEVEL = 8192, BYTES_BESIDE = 16 << 20 };

struct task {
    void (*work)(void *);
    void *data;
};

static void *
run(void *data)
{
    struct task *task = data;
    task->work(task->data);
    return NULL;
}

bool
deep_run(size_t depth, void (*work)(void *), void *data)
{
    struct task task = {work, data};
    pthread_attr_t attributes;
    pthread_t thread;
    bool is_made = pthread_attr_init(&attributes) == 0;
    if (is_made) {
        is_made = pthread_attr_setstacksize(&attributes, depth * BYTES_PER_LEVEL + BYTES_BESIDE) == 0
                  && pthread_create(&thread, &attributes, run, &task) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (!is_made) {
        environment_error("there is no memory for code that is nested %zu levels deep", depth);
        return false;
    }
    pthread_join(thread, NULL);
    return true;
}
