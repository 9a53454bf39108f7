// What the native server does at a fatal signal: it writes a report to the log, in the form of Redis's, and ends by
// the same signal, so that the exit status shows it and the system can write a core.
//
//   fault in managed code that the runtime makes an exception of
//     (null reference, division by zero) ───────────────────────────► the runtime's handler ─► exception
//   any other fault, abort(), a signal of another process ──────────► report ─► default action
//
// Install order. The runtime installs handlers of SIGSEGV and SIGFPE before Main. Ours replace them and call them for
// the faults that they may handle. A runtime that finds that a fault is not its own restores the default action and
// returns; for a signal that another process sent, which does not come again, that would be all. So such signals are
// never passed on, and after each passed one the handler looks whether it is still installed.
//
// Stacks. Handlers run on an alternate stack, for the thread's own may be used up. Alternate stacks belong to
// threads; the runtime makes none. So this file wraps pthread_create (the linker's --wrap): each thread of the process
// has one, the collector's and the thread pool's included.
//
// Only async-signal-safe functions run in a handler: no allocation, no stdio, no locale, no lock. All that the report
// says stands in memory that managed code fills beforehand (CrashReport.cs): the structures here have the same layout
// there. A loop's row is written by plain stores of its thread, so a report may show a row half way between two
// commands; it is never out of bounds, because a name points into constant data.
//
// Limits: no stack trace, for no unwinder is async-signal-safe; the report gives the instruction's offset in the
// executable, which addr2line finds in cinnabar-server.dbg. If memory is so damaged that the handler faults itself,
// the kernel ends the process at once by SIGSEGV, with what was written until then.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef MAP_STACK
#define MAP_STACK 0
#endif

enum {
    STACK_SIZE = 64 * 1024,          // a signal frame with the largest vector registers takes 11 KiB
    RUNTIME_FAULT_END = 4096,        // the runtime makes exceptions of faults below this address
    STACK_PROBE_SIZE = 1024 * 1024,  // a large frame touches its stack that far below the stack pointer
    COMMAND_SIZE_MAX = 64,
};

// ActivityRow in ActivityRow.cs.
struct row {
    const char *command;  // "b", the name's length in decimal digits, ";", the name; NULL: none yet
    int64_t session;
    int64_t thread;  // pthread_self(); 0: none yet
    int32_t kind;
    int32_t index;
    int32_t phase;
    int32_t reserved[7];
};

_Static_assert(sizeof(struct row) == 64, "as in ActivityRow.cs");

// CrashReport.Block in CrashReport.cs.
struct report {
    const char *log_path;  // NULL: standard output
    const char *version;
    const struct row *rows;
    int32_t row_count;
    int32_t is_enabled;
};

struct text {
    int fd;
    size_t size;
    char bytes[512];
};

static const struct report *volatile s_report;
static struct sigaction s_runtime_segv;
static struct sigaction s_runtime_fpe;
static atomic_flag s_is_reporting = ATOMIC_FLAG_INIT;

static void flush(struct text *text) {
    size_t written = 0;
    while (written < text->size) {
        ssize_t count = write(text->fd, text->bytes + written, text->size - written);
        if (count <= 0)
            break;
        written += (size_t)count;
    }
    text->size = 0;
}

static void put_bytes(struct text *text, const char *bytes, size_t size) {
    for (size_t index = 0; index < size; index++) {
        if (text->size == sizeof text->bytes)
            flush(text);
        text->bytes[text->size++] = bytes[index];
    }
}

static void put(struct text *text, const char *string) {
    put_bytes(text, string, strlen(string));
}

static void put_number(struct text *text, uint64_t number, unsigned base) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    put_bytes(text, digits + at, sizeof digits - at);
}

static void put_decimal(struct text *text, int64_t number) {
    if (number < 0)
        put(text, "-");
    put_number(text, number < 0 ? -(uint64_t)number : (uint64_t)number, 10);
}

static void put_address(struct text *text, uintptr_t address) {
    put(text, "0x");
    put_number(text, address, 16);
}

// What a line of the signal handler begins with, as ServerLog.WriteSignal has it.
static void begin_line(struct text *text) {
    struct timespec now;
    put_decimal(text, getpid());
    put(text, ":signal-handler (");
    put_decimal(text, clock_gettime(CLOCK_REALTIME, &now) == 0 ? now.tv_sec : 0);
    put(text, ") ");
}

static void put_command(struct text *text, const char *command) {
    size_t size = 0;
    for (command++; *command != ';'; command++)
        size = size * 10 + (size_t)(*command - '0');
    put_bytes(text, command + 1, size < COMMAND_SIZE_MAX ? size : COMMAND_SIZE_MAX);
}

static void put_row(struct text *text, const struct row *row) {
    static const char *const kinds[] = {"", "loop ", "lane "};
    static const char *const phases[] = {
        "waits", "receives", "delivers messages", "scans input", "executes", "sends replies", "keeps house",
    };
    enum { EXECUTES = 4 };
    int32_t kind = row->kind, phase = row->phase;
    if (kind < 1 || kind > 2 || phase < 0 || phase > 6)
        return;
    begin_line(text);
    put(text, kinds[kind]);
    put_decimal(text, row->index);
    put(text, row->thread == (int64_t)(intptr_t)pthread_self() ? " (crashed here): " : ": ");
    put(text, phases[phase]);
    if (row->command != NULL) {
        put(text, phase == EXECUTES ? " '" : ", last command '");
        put_command(text, row->command);
        put(text, "' of client id=");
        put_decimal(text, row->session);
    }
    put(text, "\n");
    flush(text);
}

static uintptr_t instruction_of(const ucontext_t *context) {
#if defined(__linux__) && defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__linux__) && defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#elif defined(__APPLE__) && defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext->__ss.__rip;
#elif defined(__APPLE__) && defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext->__ss.__pc;
#else
#error this processor
#endif
}

static uintptr_t stack_pointer_of(const ucontext_t *context) {
#if defined(__linux__) && defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__) && defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp;
#elif defined(__APPLE__) && defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext->__ss.__rsp;
#else
    return (uintptr_t)context->uc_mcontext->__ss.__sp;
#endif
}

static void put_instruction(struct text *text, uintptr_t instruction) {
    begin_line(text);
    put(text, "Crashed running the instruction at: ");
    put_address(text, instruction);
#ifdef __linux__
    extern const char __executable_start[], etext[];
    if (instruction >= (uintptr_t)__executable_start && instruction < (uintptr_t)etext) {
        put(text, " (cinnabar-server+");
        put_address(text, instruction - (uintptr_t)__executable_start);
        put(text, ")");
    }
#endif
    put(text, "\n");
}

static void put_cause(struct text *text, int number, const siginfo_t *info, const ucontext_t *context) {
    if (info->si_code == SI_USER) {
        begin_line(text);
        put(text, "Killed by PID: ");
        put_decimal(text, info->si_pid);
        put(text, ", UID: ");
        put_decimal(text, info->si_uid);
        put(text, "\n");
    } else if (info->si_code > 0) {
        uintptr_t address = (uintptr_t)info->si_addr, stack = stack_pointer_of(context);
        begin_line(text);
        put(text, "Accessing address: ");
        put_address(text, address);
        put(text, "\n");
        // Nothing but the guard of a stack is not mapped there.
        if (number == SIGSEGV && address + STACK_PROBE_SIZE >= stack && address < stack + STACK_SIZE) {
            begin_line(text);
            put(text, "Stack overflow: the thread has used up its stack\n");
        }
    }
    put_instruction(text, instruction_of(context));
}

static void write_report(int number, const siginfo_t *info, const ucontext_t *context) {
    const struct report *report = s_report;
    struct text text = {.fd = STDOUT_FILENO};
    if (report->log_path != NULL) {
        int fd = open(report->log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        text.fd = fd >= 0 ? fd : STDOUT_FILENO;
    }
    put(&text, "\n\n=== CINNABAR BUG REPORT START: Cut & paste starting from here ===\n");
    begin_line(&text);
    put(&text, report->version);
    put(&text, " crashed by signal: ");
    put_decimal(&text, number);
    put(&text, ", si_code: ");
    put_decimal(&text, info->si_code);
    put(&text, "\n");
    flush(&text);
    put_cause(&text, number, info, context);
    put(&text, "\n------ LOOPS ------\n");
    flush(&text);
    for (int32_t index = 0; index < report->row_count; index++)
        put_row(&text, &report->rows[index]);
    put(&text, "\n=== CINNABAR BUG REPORT END. Make sure to include from START to END. ===\n");
    flush(&text);
}

static int may_be_exception(int number, const siginfo_t *info) {
    // A code of 0 or less says that a process sent the signal; SI_KERNEL, that the address is no valid one.
    if (info->si_code <= 0)
        return 0;
#ifdef SI_KERNEL
    if (info->si_code == SI_KERNEL)
        return 0;
#endif
    return number == SIGFPE || (number == SIGSEGV && (uintptr_t)info->si_addr < RUNTIME_FAULT_END);
}

static void on_fatal_signal(int number, siginfo_t *info, void *context) {
    struct sigaction action;
    const struct sigaction *runtime = number == SIGFPE ? &s_runtime_fpe : &s_runtime_segv;
    if (may_be_exception(number, info) && (runtime->sa_flags & SA_SIGINFO) != 0) {
        runtime->sa_sigaction(number, info, context);
        if (sigaction(number, NULL, &action) == 0 && action.sa_sigaction == on_fatal_signal)
            return;
    }

    // Of threads that crash together the first one reports and ends the process.
    while (atomic_flag_test_and_set(&s_is_reporting))
        pause();
    if (s_report->is_enabled)
        write_report(number, info, context);
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
    // The signal is blocked until this handler returns: a core shows the thread where it crashed.
    raise(number);
}

static void take_alternate_stack(void *place) {
    stack_t stack = {.ss_sp = place, .ss_size = STACK_SIZE};
    sigaltstack(&stack, NULL);
}

// Installs the handlers; once, on the main thread. What it points to stays valid.
int cinnabar_install_fatal_signals(const struct report *report) {
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    static char main_stack[STACK_SIZE];
    struct sigaction action = {.sa_sigaction = on_fatal_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    s_report = report;
    take_alternate_stack(main_stack);
    if (sigaction(SIGSEGV, NULL, &s_runtime_segv) != 0 || sigaction(SIGFPE, NULL, &s_runtime_fpe) != 0)
        return -1;
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++)
        if (sigaction(numbers[index], &action, NULL) != 0)
            return -1;
    return 0;
}

#ifdef __linux__

struct start {
    void *(*run)(void *);
    void *argument;
};

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

// Pages of their own, which cost nothing until a signal comes: some threads have small stacks. A thread that gets
// none runs without.
static void *run_with_alternate_stack(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    void *place = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (place == MAP_FAILED)
        return start.run(start.argument);
    take_alternate_stack(place);
    void *result = start.run(start.argument);
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(place, STACK_SIZE);
    return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return EAGAIN;
    start->run = run;
    start->argument = argument;
    int error = __real_pthread_create(thread, attributes, run_with_alternate_stack, start);
    if (error != 0)
        free(start);
    return error;
}

#endif
