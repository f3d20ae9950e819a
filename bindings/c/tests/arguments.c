/* Every wrong argument fails with CURT_E_ARGUMENT before any work, as the header promises. */
#include "test.h"

#include <stddef.h>

static struct given {
    void *object;
    curt_str text;
    const curt_str *array;
    size_t count;
    void *place; /* a buffer, or an array of structs of `size` */
    size_t capacity, size;
    uint32_t fields, flags;
    void *options, *control, *filled;
    void *made; /* receives an object or a descriptor */
} given;

enum {
    OBJECT = 1,
    TEXT = 2,
    NUL_IS_FINE = 4, /* a NUL in the text is accepted, or fails with a different result */
    ARRAY = 8,
    BUFFER = 16,
    ELEMENT = 32,  /* one struct of `size` */
    ELEMENTS = 64, /* `capacity` structs of `size` */
    MADE = 128,
    FIELDS = 256,
    FLAGS = 512,
    CONTROL = 1024,
    NO_WHY = 2048,
    NARROW = 4096, /* bytes on every system */
    WIDE = 8192,   /* UTF-16 on every system */
    MAY_BE_NULL = 4 /* a flag of `who`: the struct is optional */
};

static int skip_it(void *context, curt_str path, const curt_found *found)
{
    (void)context, (void)path, (void)found;
    return 0;
}

#define G given
#define UNITS (curt_char *)G.place, G.capacity
#define MADE_AS(type) (type **)G.made
#define CONTROL_ (const curt_control *)G.control
#define METADATA (curt_metadata *)G.place, G.size
#define CALL(name, expression) \
    static long long call_##name(void) \
    { \
        return expression; \
    }
CALL(canonical, curt_canonical(G.text, G.flags, UNITS, WHY))
CALL(dir_open, curt_dir_open(G.text, G.fields, G.flags, MADE_AS(curt_dir), WHY))
CALL(dir_next, curt_dir_next((curt_dir *)G.object, (curt_entry *)G.place, G.size, G.capacity, WHY))
CALL(stat, curt_stat(G.text, G.fields, G.flags, METADATA, WHY))
CALL(tree_open, curt_tree_open(G.text, G.flags, MADE_AS(curt_tree), WHY))
CALL(tree_next, curt_tree_next((curt_tree *)G.object, (curt_tree_entry *)G.filled, WHY))
CALL(tree_prune, curt_tree_prune((curt_tree *)G.object))
CALL(usage, curt_usage(G.array, G.count, G.flags, CONTROL_, (curt_totals *)G.filled, WHY))
CALL(remove, curt_remove(CURT_CWD, G.text, (curt_remove_options *)G.options, CONTROL_,
                         (curt_remove_report *)G.filled, WHY))
CALL(remove_many, curt_remove_many(G.array, G.count, (curt_remove_options *)G.options, CONTROL_,
                                   (curt_remove_report *)G.filled, WHY))
CALL(copy, (remove("copied"), curt_copy(G.array, G.count, G.text, (curt_copy_options *)G.options,
                                        CONTROL_, (curt_copy_report *)G.filled, WHY)))
CALL(lookup_open, curt_lookup_open(G.array, G.count, G.flags, MADE_AS(curt_lookup), WHY))
CALL(lookup_roots, curt_lookup_set_roots((curt_lookup *)G.object, G.array, G.count, WHY))
CALL(lookup_again, curt_lookup_revalidate((curt_lookup *)G.object))
CALL(lookup_find, curt_lookup_find((curt_lookup *)G.object, G.text, G.array, G.count, UNITS, WHY))
CALL(search_open, curt_search_open((curt_search_options *)G.options, MADE_AS(curt_search), WHY))
CALL(search_find, curt_search_find((curt_search *)G.object, G.text, UNITS, (curt_found *)G.filled,
                                   WHY))
CALL(search_all, curt_search_all((curt_search *)G.object, G.text, skip_it, NULL, WHY))
CALL(find_once, curt_find_once((curt_search_options *)G.options, G.text, UNITS,
                               (curt_found *)G.filled, WHY))
CALL(expander_open, curt_expander_open((curt_expand_options *)G.options, MADE_AS(curt_expander),
                                       WHY))
CALL(expand_bytes, curt_expand_bytes((curt_expander *)G.object, (const char *)G.text.ptr, G.text.len,
                                     (char *)G.place, G.capacity))
CALL(expand_units, curt_expand_units((curt_expander *)G.object,
                                     (const uint16_t *)(const void *)G.text.ptr, G.text.len,
                                     (uint16_t *)G.place, G.capacity))
CALL(root_open, curt_root_open(G.text, G.flags, MADE_AS(curt_root), WHY))
CALL(root_open_file, curt_root_open_file((curt_root *)G.object, G.text,
                                         (curt_open_options *)G.options, (curt_fd *)(void *)G.made,
                                         WHY))
CALL(error_get, curt_error_get((curt_error *)G.object, (curt_error_info *)G.filled))

/* ---- structs ---- */

enum { READ = 1, FILLED = 2, BOTH = READ | FILLED };

/* Calls `use` with copies of the valid struct at `good`, in every interesting size. */
static void check_sizes(const void *good, size_t size, int who, long long (*use)(void *))
{
    union {
        size_t size;
        void *aligned;
        unsigned char bytes[5000];
    } place;
    const size_t bad[] = {0, 1, sizeof(size_t), size - 1, 4097, 5000, SIZE_MAX};
    size_t at;
    long long result;
    for (at = 0; at < sizeof bad / sizeof *bad; at++) {
        memset(place.bytes, 0xa5, sizeof place.bytes);
        memcpy(place.bytes, good, size);
        place.size = bad[at];
        result = use(place.bytes);
        if (!CHECK_INT(result, CURT_E_ARGUMENT))
            fprintf(test_state.report, "  for the size %zu of %zu\n", bad[at], size);
    }
    /* Imitate a newer caller whose unknown fields are zero. */
    memset(place.bytes, 0xa5, sizeof place.bytes);
    memcpy(place.bytes, good, size);
    if (who & READ)
        memset(place.bytes + size, 0, 24);
    place.size = size + 24;
    CHECK(use(place.bytes) >= 0);
    CHECK_INT(place.size, size + 24);
    for (at = size; at < size + 24; at++)
        CHECK_INT(place.bytes[at], 0);
    CHECK_INT(place.bytes[size + 24], 0xa5);
    if (who & READ) {
        place.bytes[size + 23] = 1;
        CHECK_INT(use(place.bytes), CURT_E_ARGUMENT);
    }
    memmove(place.bytes + 1, good, size);
    CHECK_INT(use(place.bytes + 1), CURT_E_ARGUMENT);
}

/* The largest valid value of each number in a struct. */
struct number {
    size_t offset;
    uint32_t largest;
};
#define NUMBER(type, field, largest) { offsetof(type, field), largest }
static const struct number of_remove[] = {
    NUMBER(curt_remove_options, flags, CURT_REMOVE_RETRIES * 2 - 1),
    NUMBER(curt_remove_options, directories, CURT_DIRECTORIES_REFUSE), {0, 0}
};
static const struct number of_copy[] = {
    NUMBER(curt_copy_options, flags, CURT_COPY_BY_DATA * 2 - 1),
    NUMBER(curt_copy_options, existing, CURT_EXISTING_REPLACE_CHANGED), {0, 0}
};
static const struct number of_search[] = {
    NUMBER(curt_search_options, policy, CURT_POLICY_ZIG),
    /* POSIX and WINDOWS exclude each other. */
    NUMBER(curt_search_options, flags, CURT_SEARCH_ENVIRONMENT | CURT_SEARCH_WINDOWS), {0, 0}
};
static const struct number of_expand[] = {
    NUMBER(curt_expand_options, flavor, CURT_FLAVOR_WINDOWS),
    NUMBER(curt_expand_options, style, CURT_STYLE_RUBY),
    NUMBER(curt_expand_options, dot_dot, CURT_DOT_DOT_REFUSE),
    NUMBER(curt_expand_options, flags, CURT_EXPAND_VERBATIM * 2 - 1),
    NUMBER(curt_expand_options, width, 2),
    NUMBER(curt_expand_options, reserved, 0), {0, 0}
};
static const struct number of_open[] = {
    NUMBER(curt_open_options, flags, CURT_OPEN_SYSTEM * 2 - 1),
    NUMBER(curt_open_options, mode, 07777),
    NUMBER(curt_open_options, system_flags, 0),
    NUMBER(curt_open_options, reserved, 0), {0, 0}
};

/* The offsets of texts in each struct: a pointer and a length, as in `curt_str`. */
static const size_t no_texts[] = {0};
static const size_t in_search[] = {
    offsetof(curt_search_options, path), offsetof(curt_search_options, pathext),
    offsetof(curt_search_options, base), 0
};
static const size_t in_expand[] = {
    offsetof(curt_expand_options, base), offsetof(curt_expand_options, cwd),
    offsetof(curt_expand_options, home), 0
};

static curt_remove_options remove_options;
static curt_copy_options copy_options;
static curt_search_options search_options;
static curt_expand_options expand_options;
static curt_open_options open_options;
static curt_control control;
static curt_tree_entry tree_entry;
static curt_totals totals;
static curt_remove_report remove_report;
static curt_copy_report copy_report;
static curt_found found;
static curt_error_info error_info;

/* ---- objects ---- */

static curt_dir *dir;
static curt_tree *tree;
static curt_lookup *lookup;
static curt_search *search;
static curt_expander *expander;
static curt_root *root;
static curt_error *error;

static void open_objects(void)
{
    curt_str path = Z(".");
#define BEGIN(struct_) (memset(&struct_, 0, sizeof struct_), struct_.size = sizeof struct_)
    BEGIN(remove_options), BEGIN(search_options), BEGIN(expand_options), BEGIN(open_options);
    BEGIN(control), BEGIN(tree_entry), BEGIN(totals);
    BEGIN(remove_report), BEGIN(found), BEGIN(error_info);
    BEGIN(copy_options), BEGIN(copy_report);
    open_options.flags = CURT_OPEN_READ;
    search_options.path = search_options.base = path;
    search_options.policy = CURT_POLICY_POSIX;
    expand_options.flavor = CURT_FLAVOR_POSIX;
    expand_options.width = 1;
    expand_options.cwd = "/";
    expand_options.cwd_len = 1;
    CHECK_INT(WORKS(curt_dir_open(path, 0, 0, &dir, WHY)), 0);
    CHECK_INT(WORKS(curt_tree_open(path, 0, &tree, WHY)), 0);
    CHECK_INT(WORKS(curt_lookup_open(&path, 1, 0, &lookup, WHY)), 0);
    CHECK_INT(WORKS(curt_search_open(&search_options, &search, WHY)), 0);
    CHECK_INT(WORKS(curt_expander_open(&expand_options, &expander, WHY)), 0);
    CHECK_INT(WORKS(curt_root_open(path, 0, &root, WHY)), 0);
    CHECK(curt_dir_open(Z("missing"), 0, 0, (curt_dir **)(void *)&given.made, &error) < 0);
}

static void close_objects(void)
{
    curt_dir_close(dir);
    curt_tree_close(tree);
    curt_lookup_close(lookup);
    curt_search_close(search);
    curt_expander_close(expander);
    curt_root_close(root);
    curt_error_free(error);
    curt_error_free(NULL);
}

static union made {
    void *object;
    curt_fd fd;
} made;

#define CLOSE(name, expression) static void close_##name(void) { expression; }
CLOSE(dir, curt_dir_close((curt_dir *)made.object))
CLOSE(tree, curt_tree_close((curt_tree *)made.object))
CLOSE(lookup, curt_lookup_close((curt_lookup *)made.object))
CLOSE(search, curt_search_close((curt_search *)made.object))
CLOSE(expander, curt_expander_close((curt_expander *)made.object))
CLOSE(root, curt_root_close((curt_root *)made.object))
#ifdef _WIN32
CLOSE(fd, CloseHandle(made.fd))
#else
CLOSE(fd, close(made.fd))
#endif

/* ---- the table ---- */

#ifdef _WIN32
#define A_PROGRAM "C:\\windows\\system32\\cmd.exe"
#else
#define A_PROGRAM "/bin/sh"
#endif
#define TREE_FLAGS (CURT_TREE_FOLLOW | CURT_TREE_SAME_FILE_SYSTEM)
#define ALL_FIELDS (CURT_FIELD_GROUP * 2 - 1)

static const struct row {
    const char *name;
    long long (*call)(void);
    unsigned takes;
    uint32_t fields, flags; /* the largest valid ones */
    void *object;        /* the address of the pointer to the object */
    void (*close)(void); /* closes the object */
    void *options;
    size_t options_size;
    const struct number *numbers;
    const size_t *texts;
    void *filled;
    size_t filled_size;
    int who; /* READ, FILLED or BOTH */
} rows[] = {
#define ROW(name, takes, fields, flags, object, close, options, filled) \
    { #name, call_##name, takes, fields, flags, object, close, options, filled }
#define FILLS(struct_, who) &struct_, sizeof struct_, who
#define OPTIONS(struct_, numbers, texts) &struct_, sizeof struct_, numbers, texts
#define NO_OPTIONS NULL, 0, NULL, no_texts
#define NOT_FILLED NULL, 0, 0
    ROW(canonical, TEXT | BUFFER | FLAGS, 0, 3, NULL, NULL, NO_OPTIONS, NOT_FILLED),
    ROW(dir_open, TEXT | FIELDS | FLAGS | MADE, ALL_FIELDS, 3, NULL, close_dir, NO_OPTIONS,
        NOT_FILLED),
    ROW(dir_next, OBJECT | ELEMENTS, 0, 0, &dir, NULL, NO_OPTIONS, NOT_FILLED),
    /* `curt_stat` refuses fields with texts, because no handle would own them. */
    ROW(stat, TEXT | FIELDS | FLAGS | ELEMENT, CURT_FIELD_TARGET - 1, 3, NULL, NULL, NO_OPTIONS,
        NOT_FILLED),
    ROW(tree_open, TEXT | FLAGS | MADE, 0, TREE_FLAGS, NULL, close_tree, NO_OPTIONS, NOT_FILLED),
    ROW(tree_next, OBJECT, 0, 0, &tree, NULL, NO_OPTIONS, FILLS(tree_entry, BOTH)),
    ROW(tree_prune, OBJECT | NO_WHY, 0, 0, &tree, NULL, NO_OPTIONS, NOT_FILLED),
    ROW(usage, ARRAY | FLAGS | CONTROL, 0, TREE_FLAGS | CURT_TREE_COUNT_LINKS, NULL, NULL,
        NO_OPTIONS, FILLS(totals, FILLED)),
    ROW(remove, TEXT | CONTROL, 0, 0, NULL, NULL, OPTIONS(remove_options, of_remove, no_texts),
        FILLS(remove_report, FILLED | MAY_BE_NULL)),
    ROW(remove_many, ARRAY | CONTROL, 0, 0, NULL, NULL, OPTIONS(remove_options, of_remove,
        no_texts), FILLS(remove_report, FILLED | MAY_BE_NULL)),
    ROW(copy, TEXT | ARRAY | CONTROL, 0, 0, NULL, NULL, OPTIONS(copy_options, of_copy, no_texts),
        FILLS(copy_report, FILLED | MAY_BE_NULL)),
    ROW(lookup_open, ARRAY | FLAGS | MADE, 0, 1, NULL, close_lookup, NO_OPTIONS, NOT_FILLED),
    ROW(lookup_find, OBJECT | TEXT | ARRAY | BUFFER, 0, 0, &lookup, NULL, NO_OPTIONS, NOT_FILLED),
    ROW(lookup_roots, OBJECT | ARRAY, 0, 0, &lookup, NULL, NO_OPTIONS, NOT_FILLED),
    ROW(lookup_again, OBJECT | NO_WHY, 0, 0, &lookup, NULL, NO_OPTIONS, NOT_FILLED),
    ROW(search_open, MADE, 0, 0, NULL, close_search, OPTIONS(search_options, of_search, in_search),
        NOT_FILLED),
    ROW(search_find, OBJECT | TEXT | BUFFER, 0, 0, &search, NULL, NO_OPTIONS,
        FILLS(found, FILLED | MAY_BE_NULL)),
    ROW(search_all, OBJECT | TEXT, 0, 0, &search, NULL, NO_OPTIONS, NOT_FILLED),
    ROW(find_once, TEXT | BUFFER, 0, 0, NULL, NULL, OPTIONS(search_options, of_search, in_search),
        FILLS(found, FILLED | MAY_BE_NULL)),
    ROW(expander_open, NARROW | MADE, 0, 0, NULL, close_expander, OPTIONS(expand_options,
        of_expand, in_expand), NOT_FILLED),
    ROW(expand_bytes, OBJECT | TEXT | NUL_IS_FINE | NARROW | BUFFER | NO_WHY, 0, 0, &expander, NULL,
        NO_OPTIONS, NOT_FILLED),
    ROW(expand_units, OBJECT | TEXT | NUL_IS_FINE | WIDE | BUFFER | NO_WHY, 0, 0, &expander, NULL,
        NO_OPTIONS, NOT_FILLED),
    ROW(root_open, TEXT | FLAGS | MADE, 0, 3, NULL, close_root, NO_OPTIONS, NOT_FILLED),
    ROW(root_open_file, OBJECT | TEXT | NUL_IS_FINE | MADE, 0, 0, &root, close_fd,
        OPTIONS(open_options, of_open, no_texts), NOT_FILLED),
    ROW(error_get, OBJECT | NO_WHY, 0, 0, &error, NULL, NO_OPTIONS, FILLS(error_info, FILLED)),
};
static const struct row *row;

/* ---- the calls ---- */

static struct given good;
static curt_str one;

static void make_program(void)
{
    make_file(T("file"), 0);
#ifndef _WIN32
    CHECK_INT(chmod("file", 0755), 0);
#endif
}

static void begin_call(void)
{
    given = good;
    one = Z("file");
    make_program();
}

static void name_row(int failures_before, const char *what)
{
    if (test_state.failures != failures_before)
        fprintf(test_state.report, "  in curt_%s: %s\n", row->name, what);
}

static void refused(const char *what)
{
    int before = test_state.failures;
    made.object = &made;
    if (row->takes & NO_WHY)
        CHECK_INT(row->call(), CURT_E_ARGUMENT);
    else
        FAILS(CURT_E_ARGUMENT, row->call());
    CHECK(exists(T("file")));
    if (given.made == &made && row->close != close_fd)
        CHECK(made.object == NULL);
    name_row(before, what);
    begin_call();
}

static long long call_and_close(void)
{
    long long result;
    make_program();
    expect_error(0);
    result = row->call();
    if (result >= 0 && row->close != NULL)
        row->close();
    return result;
}

static void accepted(const char *what)
{
    int before = test_state.failures;
    CHECK(call_and_close() >= 0);
    name_row(before, what);
    begin_call();
}

static long long with_options(void *options)
{
    given.options = options;
    return call_and_close();
}

static long long with_control(void *with)
{
    given.control = with;
    return call_and_close();
}

static long long with_filled(void *filled)
{
    given.filled = filled;
    return call_and_close();
}

/* ---- wrong arguments ---- */

static void wrong_numbers(void *place, uint32_t largest, const char *what)
{
    uint32_t bit, kept;
    memcpy(&kept, place, sizeof kept);
    for (bit = 1; bit != 0; bit <<= 1) {
        uint32_t number = bit > largest ? bit : bit > 1 ? largest + bit : UINT32_MAX;
        memcpy(place, &number, sizeof number);
        refused(what);
        memcpy(place, &kept, sizeof kept);
    }
}

/* Sets `*ptr` and `*len` to the impossible pair with this number. Returns 0 after the last one. */
static int get_wrong(int number, const void *valid, size_t unit, const void **ptr, size_t *len)
{
    const size_t lengths[] = {1, SIZE_MAX, SIZE_MAX, SIZE_MAX / 2 / unit + 1, 1};
    if (number >= (unit > 1 ? 5 : 4))
        return 0;
    *len = lengths[number];
    *ptr = number < 2 ? NULL : number < 4 ? valid : (const char *)valid + 1;
    return 1;
}

static void wrong_texts(size_t unit)
{
    static const text_char with_nul[] = T("file\0x");
    const curt_str nul = text_of(row->takes & NARROW ? "file\0x" : (const void *)with_nul, 6);
    const size_t *offset;
    const void *ptr;
    int number;
    size_t len;
    for (number = 0; get_wrong(number, good.text.ptr, unit, &ptr, &len); number++) {
        if (row->takes & TEXT) {
            given.text = text_of(ptr, len);
            refused("a text");
        }
        if (row->takes & ARRAY) {
            one = text_of(ptr, len);
            refused("a text in an array");
        }
    }
    if (row->takes & ARRAY) {
        one = nul;
        refused("a NUL in an array");
    }
    if (row->takes & TEXT && !(row->takes & NUL_IS_FINE)) {
        given.text = nul;
        refused("a NUL");
    }
    for (offset = row->texts; *offset != 0; offset++) {
        char *place = (char *)row->options + *offset;
        curt_str text, kept;
        memcpy(&kept, place, sizeof kept);
        for (number = 0; get_wrong(number, good.text.ptr, unit, &ptr, &len); number++) {
            text = text_of(ptr, len);
            memcpy(place, &text, sizeof text);
            refused("a text of the options");
        }
        memcpy(place, &nul, sizeof nul);
        refused("a NUL in the options");
        memcpy(place, &kept, sizeof kept);
    }
}

/* Checks that a text is written only if it fits with its NUL. */
static void check_buffer(size_t unit)
{
    unsigned char *place = (unsigned char *)good.place;
    long long length;
    size_t room, at;
    given.place = NULL;
    given.capacity = 0;
    one = Z(""); /* the only file extension */
    make_program();
    length = row->call();
    given.place = place;
    for (room = 0; CHECK(length > 0) && room < 2; room++) {
        given.capacity = (size_t)length + room;
        memset(place, 0x5a, (given.capacity + 1) * unit);
        CHECK_INT(row->call(), length);
        CHECK_INT(place[0] == 0x5a, room == 0);
        for (at = 0; at < unit; at++)
            CHECK_INT(place[(size_t)length * unit + at], room == 0 ? 0x5a : 0);
        CHECK_INT(place[given.capacity * unit], 0x5a);
    }
    begin_call();
}

static void wrong_arrays(size_t unit)
{
    const void *ptr;
    int number;
    size_t len;
    if (row->takes & ARRAY)
        for (number = 0; get_wrong(number, &one, sizeof one, &ptr, &len); number++) {
            given.array = (const curt_str *)ptr;
            given.count = len;
            refused("an array");
        }
    if (row->takes & BUFFER) {
        for (number = 0; get_wrong(number, good.place, unit, &ptr, &len); number++) {
            given.place = (void *)(size_t)ptr;
            given.capacity = len;
            refused("a buffer");
        }
        check_buffer(unit);
    }
    if (row->takes & (ELEMENT | ELEMENTS)) {
        const size_t sizes[] = {0, 8, good.size - 8, good.size + 1, 4096 + 8, SIZE_MAX};
        for (number = 0; number < 6; number++) {
            given.size = sizes[number];
            refused("the size of an element");
        }
        given.place = NULL;
        refused("no place");
        given.place = (char *)good.place + 1;
        refused("a place that is not aligned");
        if (row->takes & ELEMENTS) {
            given.capacity = SIZE_MAX / 2 / good.size + 1;
            refused("more than memory");
            given.capacity = 0;
            refused("no capacity");
        }
    }
}

static void wrong_pointers(void)
{
    if (row->takes & OBJECT) {
        given.object = NULL;
        refused("no object");
        given.object = (char *)good.object + 1;
        refused("an object that is not aligned");
    }
    if (row->takes & MADE) {
        given.made = NULL;
        refused("no place for what is made");
        given.made = (char *)&made + 1;
        refused("a place for what is made that is not aligned");
    }
    if (row->filled != NULL) {
        check_sizes(row->filled, row->filled_size, row->who & BOTH, with_filled);
        begin_call();
        given.filled = NULL;
        if (row->who & MAY_BE_NULL)
            accepted("nothing to fill in");
        else
            refused("nothing to fill in");
    }
    if (row->options != NULL) {
        check_sizes(row->options, row->options_size, READ, with_options);
        begin_call();
        given.options = NULL;
        if (row->call == call_find_once) /* without options there is no PATH */
            given.text = Z(A_PROGRAM);
        accepted("no options");
    }
    if (row->takes & CONTROL) {
        check_sizes(&control, sizeof control, READ, with_control);
        begin_call();
        control.cancel = (const volatile int *)(const void *)((const char *)&control + 1);
        refused("`cancel` that is not aligned");
        control.cancel = NULL;
        given.control = NULL;
        accepted("no control");
    }
}

static void wrong_arguments_are_refused_before_any_work(void)
{
    static const uint16_t wide[] = {'f', 'i', 'l', 'e'};
    static union {
        curt_entry entries[4];
        curt_metadata metadata;
        curt_char units[4096];
    } place;
    open_objects();
    for (row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        size_t unit = row->takes & WIDE ? 2 : row->takes & NARROW ? 1 : sizeof(curt_char);
        const struct number *number;
        int before = test_state.failures;
        memset(&good, 0, sizeof good);
        good.object = row->object == NULL ? NULL : *(void **)row->object;
        good.text = row->takes & WIDE ? text_of(wide, 4)
            : row->takes & NARROW ? text_of("file", 4) : Z("file");
        good.array = &one;
        good.count = 1;
        good.place = &place;
        good.size = row->takes & ELEMENTS ? sizeof *place.entries : sizeof place.metadata;
        good.capacity = row->takes & ELEMENTS ? 4 : 1000;
        good.options = row->options;
        good.control = row->takes & CONTROL ? &control : NULL;
        good.filled = row->filled;
        good.made = row->takes & MADE ? &made : NULL;
        begin_call();
        if (row->close == close_dir || row->close == close_root)
            good.text = given.text = Z(".");
        if (row->call == call_copy)
            good.text = given.text = Z("copied");
        CHECK(call_and_close() >= 0);
        name_row(before, "nothing is wrong");
        wrong_pointers();
        wrong_texts(unit);
        wrong_arrays(unit);
        if (row->takes & FIELDS) {
            wrong_numbers(&given.fields, row->fields, "the fields");
            given.fields = row->fields;
            accepted("all fields");
        }
        if (row->takes & FLAGS) {
            wrong_numbers(&given.flags, row->flags, "the flags");
            given.flags = row->flags;
            accepted("the flags");
        }
        for (number = row->numbers; number != NULL && number->offset != 0; number++)
            wrong_numbers((char *)row->options + number->offset, number->largest,
                          "a number of the options");
        if (row->takes & CONTROL) {
            wrong_numbers(&control.reserved, 0, "`reserved` of the control");
            control.threads = CURT_THREADS_MOST + 1;
            refused("`threads` of the control");
            control.threads = 0;
        }
    }
    FAILS(CURT_E_ARGUMENT, curt_search_all(search, Z("file"), NULL, NULL, WHY));
    close_objects();
}

BEGIN_TESTS
    test(wrong_arguments_are_refused_before_any_work),
END_TESTS
