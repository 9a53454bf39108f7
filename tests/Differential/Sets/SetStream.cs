using System;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Differential.Sets;

/// <summary>Random commands on a few sets, of members that meet again and again.</summary>
internal sealed class SetStream(Random random)
{
    // Below the limit of intsets: a longer SADD makes a tree at once since Redis 7.2.
    private const int AddedCountMax = 8;

    private static readonly string[] s_odd =
    [
        "", "-0", "+1", "007", "32767", "32768", "-32769", "2147483648", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaa",
        "\0\xff",
    ];

    private static readonly string[] s_counts =
        ["0", "1", "2", "3", "10", "40", "-1", "-7", "x", "", "9223372036854775807",
        "-9223372036854775808"];

    /// <summary>The next command.</summary>
    public string[] Next() => random.Next(24) switch
    {
        0 or 1 or 2 or 3 => ["SADD", Key(), .. Members(random.Next(1, AddedCountMax + 1))],
        4 or 5 => ["SREM", Key(), .. Members(random.Next(1, 12))],
        6 => ["SMOVE", Key(), Key(), Member()],
        7 => ["SISMEMBER", Key(), Member()],
        8 => ["SMISMEMBER", Key(), .. Members(random.Next(1, 6))],
        9 => random.Next(2) == 0 ? ["SMEMBERS", Key()] : ["SCARD", Key()],
        10 => ["SINTER", .. Keys()],
        11 => ["SUNION", .. Keys()],
        12 => ["SDIFF", .. Keys()],
        13 => ["SINTERSTORE", Key(), .. Keys()],
        14 => ["SUNIONSTORE", Key(), .. Keys()],
        15 => ["SDIFFSTORE", Key(), .. Keys()],
        16 => Card(),
        17 or 18 => random.Next(3) == 0 ? ["SPOP", Key()] : ["SPOP", Key(), Count(), .. Extra()],
        19 => random.Next(3) == 0 ? ["SRANDMEMBER", Key()] : ["SRANDMEMBER", Key(), PickCount(), .. Extra()],
        20 => Scan(),
        _ => Generic(),
    };

    /// <summary>One that may stand in a transaction.</summary>
    public string[] NextQueued()
    {
        while (true)
        {
            string[] words = Next();
            if (words[0] is not ("SPOP" or "SRANDMEMBER" or "SSCAN" or "SDIFFSTORE" or "PEXPIRE"))
                return words;
        }
    }

    private string[] Card()
    {
        string[] keys = Keys();
        string count = random.Next(8) == 0 ? Count() : $"{keys.Length}";
        return random.Next(3) switch
        {
            0 => ["SINTERCARD", count, .. keys],
            1 => ["SINTERCARD", count, .. keys, "LIMIT", Count()],
            _ => ["SINTERCARD", count, .. keys, "limit", $"{random.Next(4)}", .. Extra()],
        };
    }

    private string[] Scan() => random.Next(6) switch
    {
        0 => ["SSCAN", Key(), "0", "COUNT", Count()],
        1 => ["SSCAN", Key(), "0", "TYPE", "set"],
        2 => ["SSCAN", Key(), random.Next(2) == 0 ? "x" : "0", .. Extra()],
        3 => ["SSCAN", Key(), "0", "MATCH", "*1*", "COUNT", "100"],
        _ => ["SSCAN", Key(), "0", "COUNT", "3"],
    };

    private string[] Generic() => random.Next(12) switch
    {
        0 => ["DEL", Key()],
        1 => ["COPY", Key(), Key(), "REPLACE"],
        2 => ["RENAME", Key(), Key()],
        3 => ["EXPIRE", Key(), "1000000"],
        4 => ["PERSIST", Key()],
        5 => ["PEXPIRE", Key(), "1"],
        6 => ["SET", "k5", "text"],
        7 => ["TYPE", Key()],
        8 => ["UNLINK", Key()],
        9 => ["EXISTS", Key()],
        _ => ["SADD", Key(), Member()],
    };

    private string[] Extra() => random.Next(15) == 0 ? ["extra"] : [];

    private string Key() => $"k{random.Next(7).ToString(CultureInfo.InvariantCulture)}";

    private string[] Keys() => [.. Enumerable.Range(0, random.Next(1, 7)).Select(_ => Key())];

    private string Count() => s_counts[random.Next(s_counts.Length)];

    // As many members are replied as a negative count says: not those of the least number.
    private string PickCount() => random.Next(4) == 0 ? $"{random.Next(-60, 60)}" : Count();

    private string[] Members(int count) => [.. Enumerable.Range(0, count).Select(_ => Member())];

    private string Member() => random.Next(20) switch
    {
        < 12 => $"{random.Next(-4, 30)}",
        < 18 => $"m{random.Next(30)}",
        _ => s_odd[random.Next(s_odd.Length)],
    };
}
