#include "overlap.h"
#include "refuse.h"
#include "session_internal.h"

/* Shell sort by lowest address: few views, and nothing allocated whatever their number. */
static int
sort_views(struct session *session)
{
    struct session_memory *memory = session->memory;
    int n = 0;
    for (int i = 0; i < session->n_views; i++)
        if (memory->views[i].geometry.bytes > 0)
            memory->order[n++] = i;
    int gap = 1;
    while (gap < n / 9)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < n; i++) {
            int view = memory->order[i], at = i;
            for (; at >= gap && memory->views[memory->order[at - gap]].geometry.low > memory->views[view].geometry.low;
                 at -= gap)
                memory->order[at] = memory->order[at - gap];
            memory->order[at] = view;
        }
    return n;
}

/* --- groups as linked views; merging renames the smaller number of the two to nothing */

static int
new_group(struct session_memory *memory, int index)
{
    struct staged_view *staged = &memory->views[index];
    int number = memory->n_groups++;
    memory->groups[number] = (struct group){
        .first = index, .last = index, .low = staged->geometry.low, .high = staged->geometry.high,
        .written = staged->view.written, .lane = -1, .image_buffer = -1};
    staged->group = number;
    staged->next = -1;
    return number;
}

static void
merge_groups(struct session_memory *memory, int into, int from)
{
    struct group *to = &memory->groups[into], *gone = &memory->groups[from];
    for (int i = gone->first; i >= 0; i = memory->views[i].next)
        memory->views[i].group = into;
    /* The first view of the call stays the first of its group: it names the group and its bytes. */
    bool gone_first = gone->first < to->first;
    memory->views[gone_first ? gone->last : to->last].next = gone_first ? to->first : gone->first;
    if (gone_first)
        to->first = gone->first;
    else
        to->last = gone->last;
    if (gone->low < to->low)
        to->low = gone->low;
    if (gone->high > to->high)
        to->high = gone->high;
    to->written = to->written || gone->written;
    to->many = true;
    gone->first = -1;
}

/* Groups that were merged into others are dropped, and the views renumbered. */
static void
close_gaps(struct session_memory *memory)
{
    int n = 0;
    for (int i = 0; i < memory->n_groups; i++) {
        if (memory->groups[i].first < 0)
            continue;
        if (n != i) {
            memory->groups[n] = memory->groups[i];
            for (int k = memory->groups[n].first; k >= 0; k = memory->views[k].next)
                memory->views[k].group = n;
        }
        n++;
    }
    memory->n_groups = n;
}

/* Can the kernel be given this view with its real strides? */
static bool
takes_real_strides(const struct staged_view *staged)
{
    return staged->view.wish == LAYOUT_NATURAL || is_as_wished(staged);
}

/* Two views that share bytes, one of them written. They are told in the order of the call. */
static int
tie(struct session *session, int a, int b, struct session_error *error)
{
    int first = a < b ? a : b, second = a < b ? b : a;
    struct staged_view *one = staged_view(session, first), *other = staged_view(session, second);
    one->tied = other->tied = true;
    bool seen = takes_real_strides(one) && takes_real_strides(other);
    if (refuse_overlap(&one->view, &other->view, seen, error) == 0)
        return 0;
    error->first = first;
    error->second = second;
    return -1;
}

/* A strided written view whose own elements share bytes (a broadcast one): packed, it could not be put back. */
static int
check_itself(struct session *session, int index, struct session_error *error)
{
    struct staged_view *staged = staged_view(session, index);
    if (!view_overlaps_itself(&staged->view))
        return 0;
    staged->tied = true;
    if (takes_real_strides(staged))
        return 0;
    refuse_packing(&staged->view, error);
    error->first = error->second = index;
    return -1;
}

int
session_group(struct session *session, struct session_error *error)
{
    struct session_memory *memory = session->memory;
    memory->n_groups = 0;
    int n = sort_views(session);
    int cluster = 0;         /* the first in order whose range reaches the present one's */
    uintptr_t cluster_high = 0;
    for (int i = 0; i < n; i++) {
        int index = memory->order[i];
        struct staged_view *staged = &memory->views[index];
        new_group(memory, index);
        if (staged->view.written && !is_contiguous(staged) && check_itself(session, index, error) != 0)
            return -1;
        if (staged->geometry.low >= cluster_high)
            cluster = i;
        for (int k = cluster; k < i; k++) {
            int other_index = memory->order[k];
            struct staged_view *other = &memory->views[other_index];
            if (!views_share_bytes(&staged->view, &staged->geometry, &other->view, &other->geometry))
                continue;
            if (other->group != staged->group)
                merge_groups(memory, other->group, staged->group);
            if ((staged->view.written || other->view.written) && tie(session, index, other_index, error) != 0)
                return -1;
        }
        if (staged->geometry.high > cluster_high)
            cluster_high = staged->geometry.high;
    }
    if (memory->n_groups > 1)
        close_gaps(memory);
    return 0;
}
