#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "session_internal.h"

/* Each thread keeps what its sessions have used; nested calls have one each. */
static _Thread_local struct session_memory *spare;
static pthread_key_t cleaner;
static pthread_once_t cleaner_once = PTHREAD_ONCE_INIT;

static void
memory_free(struct session_memory *memory)
{
    free(memory->views);
    free(memory->groups);
    free(memory->lanes);
    free(memory->buffers);
    free(memory->order);
    free(memory->strides);
    free(memory);
}

static void
clean_thread(void *unused)
{
    (void)unused;
    for (struct session_memory *memory = spare, *next; memory != NULL; memory = next) {
        next = memory->next;
        memory_free(memory);
    }
    spare = NULL;
}

static void
make_cleaner(void)
{
    pthread_key_create(&cleaner, clean_thread);
}

/* Room for more views, and for as many groups and lanes; whatever has grown stays valid when the rest could not. */
static int
grow(struct session_memory *memory)
{
    int room = memory->view_room > 0 ? 2 * memory->view_room : 8;
#define GROW(field, count)                                                              \
    {                                                                                   \
        void *moved = realloc(memory->field, sizeof(*memory->field) * (size_t)(count)); \
        if (moved == NULL)                                                              \
            return -1;                                                                  \
        memory->field = moved;                                                          \
    }
    GROW(views, room)
    GROW(groups, room)
    GROW(lanes, room)
    GROW(buffers, 3 * room)
    GROW(order, room)
#undef GROW
    memory->view_room = room;
    return 0;
}

static struct session_memory *
memory_take(void)
{
    struct session_memory *memory = spare;
    if (memory != NULL) {
        spare = memory->next;
    } else {
        memory = calloc(1, sizeof(*memory));
        if (memory == NULL || grow(memory) != 0) {
            if (memory != NULL)
                memory_free(memory);
            return NULL;
        }
        pthread_once(&cleaner_once, make_cleaner);
        pthread_setspecific(cleaner, &spare); /* any value that is not NULL: the thread has something to clean */
    }
    memory->n_groups = memory->n_lanes = memory->n_buffers = memory->n_strides = 0;
    memory->n_packed = 0;
    memory->runtime = NULL;
    memory->blocks = NULL;
    memory->flights = NULL;
    return memory;
}

void
memory_return(struct session_memory *memory)
{
    memory->next = spare;
    spare = memory;
}

int
memory_reserve_strides(struct session *session)
{
    struct session_memory *memory = session->memory;
    if (memory->n_strides <= memory->stride_room)
        return 0;
    int64_t *strides = realloc(memory->strides, sizeof(*strides) * (size_t)memory->n_strides);
    if (strides == NULL)
        return -1;
    memory->strides = strides;
    memory->stride_room = memory->n_strides;
    return 0;
}

/* --- session.h ---------------------------------------------------------------------------------------------------- */

void
session_init(struct session *session, const char *kernel)
{
    session->memory = NULL;
    session->kernel = kernel;
    session->n_views = 0;
    session->totals = (struct session_totals){0};
}

int
session_add(struct session *session, const struct device_view *view)
{
    if (session->memory == NULL && (session->memory = memory_take()) == NULL)
        return -1;
    struct session_memory *memory = session->memory;
    if (session->n_views == memory->view_room && grow(memory) != 0)
        return -1;
    struct staged_view *staged = &memory->views[session->n_views];
    staged->view = *view;
    staged->view.host = NULL;
    staged->view.host_strides = NULL;
    staged->view.in_place = false;
    staged->view.device = -1;
    staged->view.bytes_down = staged->view.bytes_up = 0;
    staged->group = staged->next = staged->lane = -1;
    staged->tied = staged->packed = false;
    staged->down = staged->up = ROUTE_NONE;
    staged->packed_buffer = staged->raw_buffer = -1;
    memory->n_strides += 2 * view->rank;
    return session->n_views++;
}

struct device_view *
session_view(const struct session *session, int index)
{
    return &staged_view(session, index)->view;
}
