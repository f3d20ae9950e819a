/* Searches for a program, or starts it, with libuv's src/win/process.c, original or with the shim.
 * The search or start is repeated, so that the native calls of one more can be counted. Arguments:
 * search or spawn, the number of repetitions, the name. The variable SEARCHED is used as PATH;
 * libuv searches the working directory first. Prints the last result. */
#include "process.c"

#include <stdio.h>
#include <stdlib.h>

static WCHAR path[32767];
static WCHAR cwd[MAX_PATH];
static char environment[32767] = "PATH=";

static int search(int times, const WCHAR* name) {
  WCHAR* found = NULL;

  GetEnvironmentVariableW(L"SEARCHED", path, ARRAY_SIZE(path));
  GetCurrentDirectoryW(ARRAY_SIZE(cwd), cwd);
  for (; times > 0; times--) {
    uv__free(found);
    found = search_path(name, cwd, path, 0);
  }
  printf("%ls\n", found == NULL ? L"not found" : found);
  return 0;
}

static void on_exit(uv_process_t* process, int64_t status, int signal) {
  if (status != 0 || signal != 0)
    abort();
  uv_close((uv_handle_t*) process, NULL);
}

static int spawn(int times, char* name) {
  char* args[] = {name, NULL};
  char* env[] = {environment, NULL};
  uv_process_options_t options = {.file = name, .args = args, .env = env, .exit_cb = on_exit};
  uv_process_t process;

  GetEnvironmentVariableA("SEARCHED", environment + 5, sizeof(environment) - 5);
  for (; times > 0; times--) {
    if (uv_spawn(uv_default_loop(), &process, &options) != 0)
      return 1;
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  }
  printf("started\n");
  return 0;
}

int main(int argc, char** argv) {
  WCHAR name[MAX_PATH];

  if (argc != 4 || mbstowcs(name, argv[3], ARRAY_SIZE(name)) >= ARRAY_SIZE(name))
    return 2;
  if (strcmp(argv[1], "spawn") == 0)
    return spawn(atoi(argv[2]), argv[3]);
  return search(atoi(argv[2]), name);
}
