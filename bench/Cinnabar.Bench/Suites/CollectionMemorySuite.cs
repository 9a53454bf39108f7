using System.Globalization;
using System.Text;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>The memory of collections: resident memory above that of the empty server.</summary>
internal sealed class CollectionMemorySuite : ISuite
{
    private const int DataSize = 16;
    private const int FieldCount = 100;

    public string Name => "collections";

    public string Title => "Memory of collections above the empty server";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        long count = round.KeyCount ?? (round.IsQuick ? 10_000 : 1_000_000);
        Measure(spec, round, "hashes of 5 fields", count,
            "HSET __key__ name anna age 31 city bern visits 7 last 1700000000");
        Measure(spec, round, "sets of 5 members", count, "SADD __key__ anna bern 31 cat dog");
        Measure(spec, round, "members of one set", count, "SADD set __key__");
        Measure(spec, round, "members of one sorted set", count, "ZADD zset __rand_int__ __key__");
        Measure(spec, round, "fields of one hash", count, "HSET hash __key__ __data__");
        Measure(spec, round, "hashes of 100 fields", count / 10, Wide("HSET __key__"));
        Measure(spec, round, "elements of one list", count, "RPUSH list __data__");
        Measure(spec, round, "entries of one stream", count, "XADD stream * field __data__");
    }

    private static void Measure(ServerSpec spec, Round round, string name, long count, string command)
    {
        using MeasuredServer server = round.Start(spec);
        long emptyBytes = Round.SettledBytes(server);
        round.FillWith(command, round.Load(server, count, DataSize));
        double bytes = Round.SettledBytes(server) - emptyBytes;
        round.Report.Add($"{count:N0} {name}", "bytes each", spec.Name, bytes / count, isHeadline: true);
    }

    private static string Wide(string command)
    {
        var line = new StringBuilder(command);
        for (int field = 0; field < FieldCount; field++)
            line.Append(CultureInfo.InvariantCulture, $" field:{field:00} value:{field:000000}");
        return line.ToString();
    }
}
