/* parallel.c - see parallel_internal.h. */
#include "parallel_internal.h"

#include <pthread.h>
#include <sys/sysinfo.h>

struct job {
    const char *path;
    struct words words;
    CXIndex index;
    CXTranslationUnit tu;
    bool is_done;
};

struct parallel {
    struct job *jobs;
    int n, next, taken; /* first that is not begun; how many the caller has taken */
    int ahead;          /* so many more than taken may be begun */
    pthread_t *threads;
    int n_threads;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* The next job for a thread, or NULL when there are no more. */
static struct job *
begin(struct parallel *parallel)
{
    pthread_mutex_lock(&parallel->lock);
    while (parallel->next < parallel->n && parallel->next >= parallel->taken + parallel->ahead)
        pthread_cond_wait(&parallel->changed, &parallel->lock);
    struct job *job = parallel->next < parallel->n ? &parallel->jobs[parallel->next++] : NULL;
    pthread_mutex_unlock(&parallel->lock);
    return job;
}

static void
parse(struct job *job)
{
    job->index = clang.createIndex(0, 0);
    if (clang.parseTranslationUnit2(job->index, job->path, job->words.values, job->words.n, NULL, 0, CXTranslationUnit_None,
                                    &job->tu) != CXError_Success)
        job->tu = NULL;
}

static void *
work(void *data)
{
    struct parallel *parallel = data;
    for (struct job *job = begin(parallel); job != NULL; job = begin(parallel)) {
        parse(job);
        pthread_mutex_lock(&parallel->lock);
        job->is_done = true;
        pthread_cond_broadcast(&parallel->changed);
        pthread_mutex_unlock(&parallel->lock);
    }
    return NULL;
}

struct parallel *
parallel_start(struct front *front, const char *const *paths, int n, int jobs)
{
    struct arena *arena = front->arena;
    struct parallel *parallel = arena_take(arena, 1, sizeof *parallel);
    int wanted = jobs > 0 ? jobs : get_nprocs();
    parallel->n = n;
    parallel->jobs = arena_take(arena, (size_t)n, sizeof *parallel->jobs);
    for (int i = 0; i < n; i++) {
        parallel->jobs[i].path = paths[i];
        front_arguments(front, paths[i], &parallel->jobs[i].words);
        words_add(arena, &parallel->jobs[i].words, "-Wno-implicit-int"); /* old C is the compiler's affair */
    }
    wanted = wanted < n ? wanted : n;
    parallel->ahead = 2 * wanted;
    parallel->threads = arena_take(arena, (size_t)wanted, sizeof *parallel->threads);
    pthread_mutex_init(&parallel->lock, NULL);
    pthread_cond_init(&parallel->changed, NULL);
    while (n > 1 && parallel->n_threads < wanted
           && pthread_create(&parallel->threads[parallel->n_threads], NULL, work, parallel) == 0)
        parallel->n_threads++;
    return parallel;
}

CXTranslationUnit
parallel_take(struct parallel *parallel, int i, CXIndex *index)
{
    struct job *job = &parallel->jobs[i];
    if (parallel->n_threads == 0) {
        parse(job);
    } else {
        pthread_mutex_lock(&parallel->lock);
        parallel->taken = i + 1;
        pthread_cond_broadcast(&parallel->changed);
        while (!job->is_done)
            pthread_cond_wait(&parallel->changed, &parallel->lock);
        pthread_mutex_unlock(&parallel->lock);
    }
    *index = job->index;
    return job->tu;
}

void
parallel_end(struct parallel *parallel)
{
    for (int i = 0; i < parallel->n_threads; i++)
        pthread_join(parallel->threads[i], NULL);
    pthread_cond_destroy(&parallel->changed);
    pthread_mutex_destroy(&parallel->lock);
}
