/* error.h - why a step of the engine failed; plain data, below everything else. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

/* text is complete for a user except for the kernel's name. */
struct session_error {
    enum session_error_kind {
        SESSION_OK,
        SESSION_NO_RUNTIME,  /* no CUDA Runtime or no driver: text names what was looked for */
        SESSION_CUDA,        /* a CUDA call failed; .cuda and .cuda_name tell the code */
        SESSION_STALE_ERROR, /* an error of work that was there before this call; no array has changed */
        SESSION_EARLIER,     /* the same, while unwaited write-backs of ours were under way: it may be one of them that failed; .text
                                names its kernel and argument */
        SESSION_CAPTURE,     /* a stream involved is being captured; nothing was enqueued */
        SESSION_FORKED,      /* the process was forked after device use */
        SESSION_CONFLICT,    /* views .first and .second overlap (the same view: its own elements do) and the wanted
                                layouts cannot show it */
        SESSION_RESTRICT,    /* views .first and .second overlap, one is written, and one is restrict */
        SESSION_BAD_POINTER, /* pointer is not memory of this runtime, or not of a device */
        SESSION_BAD_VIEW,    /* shape or strides overflow the address space */
        SESSION_NO_MEMORY
    } kind;
    int cuda;              /* cudaError_t, 0: none */
    const char *cuda_name; /* its name, static; NULL: none */
    int first, second;     /* indexes of views, -1: none */
    char text[512];
};

/* Fills *error with kind, no code, no views and the formatted text. Returns -1. */
__attribute__((format(printf, 3, 4))) int error_set(struct session_error *error, enum session_error_kind kind,
                                                    const char *format, ...);

#endif
