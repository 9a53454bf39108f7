using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Durability;

/// <summary>How long it takes to SAVE and to load, and the size of the file, with two cores and the file in
/// memory. A load is the time from the start of the process to the first reply that is not LOADING. The size
/// is that of a file of redis-server's version (<c>rdb-compatibility 7.0</c>), the times are those of the
/// default. The values of the keys are random bytes, which do not compress; the members of the collections
/// are text, which does.</summary>
internal sealed class FilesSuite : ISuite
{
    private const int ValueSize = 100;
    private const int MemberCount = 100;
    private const string File = "dump.rdb";

    // That of Debian's redis-server. Later ones have other forms: a small set takes more bytes as a listpack
    // of 7.2 than as a plain set.
    private const string SizedVersion = "7.0";
    private const string DefaultVersion = "7.4";

    private static readonly (string Prefix, string Command, string Member)[] s_collections =
    [
        ("hash:", "HSET __key__", " field:{0:00} value:__rand_int__"),
        ("set:", "SADD __key__", " member:{0:00}:__rand_int__"),
        ("zset:", "ZADD __key__", " __rand_int__ member:{0:00}"),
        ("list:", "RPUSH __key__", " item:{0:00}:__rand_int__"),
    ];

    public string Name => "files";

    public string Title => "SAVE and load of keys of 100 bytes and of collections of 100 members, two cores";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        long count = round.KeyCount ?? (round.IsQuick ? 20_000 : 5_000_000);
        Round both = round with { ServerCores = [.. round.ServerCores.Union(round.LoadCores)] };
        Measure(spec, both, $"{count:N0} keys",
            server => both.Fill(server, Keys(server, both, count), count));
        long collections = long.Max(count / 50, s_collections.Length);
        Measure(spec, both, $"{collections:N0} collections", server => FillCollections(server, both,
            collections / s_collections.Length));
    }

    private static void Measure(
        ServerSpec spec, Round round, string name, Action<MeasuredServer> fill)
    {
        using var folder = new DataFolder();
        spec = folder.Of(spec);
        string keyCount;
        using (MeasuredServer server = round.Start(spec))
        {
            fill(server);
            using ServerLink link = server.Link();
            keyCount = link.Ask("DBSIZE")!;
            Save(server, link, round, folder, $"{name}, rdbcompression yes");
        }
        using (MeasuredServer server = round.Start(spec))
        {
            AddLoad(server, round, keyCount, $"{name}, rdbcompression yes");
            using ServerLink link = server.Link();
            link.Ask("CONFIG", "SET", "rdbcompression", "no");
            Save(server, link, round, folder, $"{name}, rdbcompression no");
        }
        using (MeasuredServer server = round.Start(spec))
            AddLoad(server, round, keyCount, $"{name}, rdbcompression no");
    }

    private static void Save(
        MeasuredServer server, ServerLink link, Round round, DataFolder folder, string name)
    {
        round.Live.ShowStep($"save {name}");
        long start = Stopwatch.GetTimestamp();
        link.Ask("SAVE");
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        round.Report.Add($"save {name}", "s", server.Spec.Name, seconds, isHeadline: true);
        bool isOwn = server.Spec.Name == KnownServers.Own;
        if (isOwn)
            SaveAs(link, SizedVersion);
        round.Report.Add($"file of {name}", "MB", server.Spec.Name, folder.SizeOf(File) / 1e6,
            isHeadline: true);
        if (isOwn)
            SaveAs(link, DefaultVersion);
    }

    private static void SaveAs(ServerLink link, string version)
    {
        link.Ask("CONFIG", "SET", "rdb-compatibility", version);
        link.Ask("SAVE");
    }

    private static void AddLoad(MeasuredServer server, Round round, string keyCount, string name)
    {
        using ServerLink link = server.Link();
        string? loaded = link.Ask("DBSIZE");
        if (loaded != keyCount)
            throw new LoadException($"{server.Spec.Name} loaded {loaded} keys where {keyCount} were saved");
        round.Report.Add($"load {name}", "s", server.Spec.Name, server.StartTime!.Value.TotalSeconds,
            isHeadline: true);
    }

    private static LoadOptions Keys(MeasuredServer server, Round round, long count) =>
        round.Load(server, count, ValueSize) with { IsRandomData = true };

    private static void FillCollections(MeasuredServer server, Round round, long count)
    {
        foreach ((string prefix, string command, string member) in s_collections)
        {
            var line = new StringBuilder(command);
            for (int index = 0; index < MemberCount; index++)
                line.AppendFormat(CultureInfo.InvariantCulture, member, index);
            round.FillWith(line.ToString(), round.Load(server, count, 1) with
            {
                Keys = new KeySpace { Prefix = prefix, Maximum = count - 1 },
            });
        }
    }
}
