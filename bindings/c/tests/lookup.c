#include "test.h"

static curt_lookup *lookup;
static text_char found[512];

static void open_lookup(const curt_str *roots, size_t count, uint32_t flags)
{
    CHECK_INT(WORKS(curt_lookup_open(roots, count, flags, &lookup, WHY)), 0);
}

static long long find(curt_str name)
{
    curt_str extensions[2];
    extensions[0] = Z(".rb");
    extensions[1] = Z(".so");
    return WORKS(curt_lookup_find(lookup, name, extensions, 2, (curt_char *)found,
                                  sizeof found / sizeof *found, WHY));
}

static void finds(const text_char *expected)
{
    long long len = find(Z("d/f"));
    CHECK_INT(len, (long long)count_units(expected));
    if (len > 0)
        CHECK_TEXT(text_of(found, (size_t)len), expected);
}

#define JOINED(root, rest) T(root SEPARATOR rest)

static void plant(curt_str roots[2])
{
    make_dir(T("one"));
    make_dir(T("one/d"));
    make_file(T("one/d/f.so"), 0);
    make_dir(T("two"));
    make_dir(T("two/d"));
    make_file(T("two/d/f.rb"), 0);
    roots[0] = Z("one");
    roots[1] = Z("two");
}

static void finds_the_first_candidate(void)
{
    curt_str roots[2];
    plant(roots);
    open_lookup(roots, 2, 0);
    finds(JOINED("two", "d/f.rb"));
    CHECK_INT(find(Z("f")), 0);
    curt_lookup_close(lookup);
    open_lookup(roots, 2, CURT_LOOKUP_ROOT_FIRST);
    finds(JOINED("one", "d/f.so"));
    CHECK_INT(WORKS(curt_lookup_set_roots(lookup, roots + 1, 1, WHY)), 0);
    finds(JOINED("two", "d/f.rb"));
    CHECK_INT(WORKS(curt_lookup_set_roots(lookup, NULL, 0, WHY)), 0);
    CHECK_INT(find(Z("d/f")), 0);
    curt_lookup_close(lookup);
    curt_lookup_close(NULL);
}

static void sees_changes_after_a_revalidation(void)
{
    curt_str roots[2];
    plant(roots);
    open_lookup(roots, 2, 0);
    finds(JOINED("two", "d/f.rb"));
    make_file(T("one/d/f.rb"), 0);
    finds(JOINED("two", "d/f.rb"));
    CHECK_INT(curt_lookup_revalidate(lookup), 0);
    finds(JOINED("one", "d/f.rb"));
    curt_lookup_close(lookup);
}

BEGIN_TESTS
    test(finds_the_first_candidate),
    test(sees_changes_after_a_revalidation),
END_TESTS
