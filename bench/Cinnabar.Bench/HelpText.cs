using System.Collections.Generic;
using System.Text;
using Cinnabar.Bench.Suites;

namespace Cinnabar.Bench;

/// <summary>The text of <c>./x bench --help</c>.</summary>
internal static class HelpText
{
    private const string Options = """

        Options of suites:
          --quick            seconds instead of minutes, to see that it works; the figures mean little
          --seconds S        how long one measurement takes, where a suite measures for a time
          --keys N           how many keys
          --only A,B         only these rows of `commands` or `special`: GET,"CLIENT ID"
          --load-cores N     the core of the load (1); --server-cores of the servers (0)
          --reserve          keep all other threads, the kernel's too, off the servers' cores (Linux, as root)
          --rate N           keys a second of `stall` (half of what the slowest server can take)
          --markdown         publish the last report of every suite in docs (performance, commands)

        Options of both:
          --server S         may be given several times: redis, floor, floor-uring, cinnabar, and it
                             with -uring, -epoll, -portable;
                             name=command with {port} (and {socket}): started anew for every
                             round; name@host:port or name@/socket: running already
          --servers A,B      the same for names only
          --also S           another server beside those of each suite: name=executable (started as
                             redis-server is), or name=command with {port}; may be given several times
          -x, --rounds N     how often each server is measured, in turn with the others
          --reference NAME   the server that ratios are taken to (redis, else the first)
          --server-cores 0,2 the cores of servers that are started
          --json FILE        the reports, a list

        Options of a load (memtier_benchmark's and redis-benchmark's names):
          -h, -p, -S, -u     host, port, unix socket, redis://user:password@host:port/db
          -a, --user         password or user:password; -3 or --protocol resp3; --select-db N
          -t, -c, -P         threads (1), clients a thread (50), requests a client sends at once (1)
          --test-time S      seconds (10); -n N: requests of each client; -n allkeys
          --rate N           open loop: N requests a second in all, latency from when each was due
          --rate-limiting N  closed loop, at most N requests a second of each client
          --ratio S:G        SETs to GETs (1:10); --command "incr __key__" instead, several times, with
                             --command-ratio N, --command-key-pattern; or a command at the line's end;
                             __key__, __data__ and __rand_int__ are replaced at each place
          -d N               size of values (32); --data-size-range A-B; --data-size-list S:W,S:W;
                             -R: random bytes
          --key-minimum N, --key-maximum N (0, 999999), -r N: from 0 to N - 1; --key-prefix key:,
          --key-width N      digits, 0: as many as the number has (12)
          --key-pattern A:B  of SETs and GETs: R random, S sequential, P parallel, G Gaussian (--key-median,
                             --key-stddev), Z Zipfian (--key-zipf-exp)
          --populate         sets every key once before
          --warm-up S        seconds before the measurement (1; 0 with -n)
          --seed N, --randomize, --one-seed
          --load-cores 1,3   the cores of the load's threads
          --portable         the framework's sockets instead of epoll
        """;

    /// <summary>The whole text.</summary>
    public static string Whole(IReadOnlyList<ISuite> suites)
    {
        var text = new StringBuilder();
        text.Append("./x bench SUITE… [options]     some of these, or all, or figures (three rounds of\n"
            + $"  {string.Join(", ", SuiteRunner.Figures)}; --also adds another build), or\n"
            + $"  durability ({string.Join(", ", SuiteRunner.Durability)}), or\n"
            + $"  guard ({string.Join(", ", SuiteRunner.Guard)})\n");
        foreach (ISuite suite in suites)
            text.Append($"  {suite.Name,-16} {suite.Title} ({suite.Servers})\n");
        text.Append("./x bench load [options]       any load on any servers\n");
        text.Append("./x bench floor --port N -d N  the null server: the least that a server can cost\n");
        text.Append("./x bench floor-uring …        the same over io_uring\n");
        return text.Append(Options).ToString();
    }
}
