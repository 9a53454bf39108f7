using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A master and its replica, random load on the one, and their comparison.</summary>
/// <param name="master">The master.</param>
/// <param name="replica">Its replica.</param>
internal sealed class ReplicationPair(RespClient master, RespClient replica)
{
    private const int WaitMsMax = 200_000;
    private const int PollMs = 20;

    /// <summary>Runs random commands on the master: alone, in transactions, in scripts.</summary>
    public static void Load(RespClient master, RandomWrites writes, int count)
    {
        while (count > 0)
        {
            if (writes.Below(8) != 0)
            {
                Send(master, writes);
                count--;
                continue;
            }

            bool isScript = writes.Below(3) == 0;
            if (isScript)
            {
                master.Call("EVAL", "redis.call('SET', KEYS[1], ARGV[1]); redis.call('RPUSH', KEYS[2], 'x')",
                    "2", "s0", "l3", "script");
            }
            else
            {
                master.Call("MULTI");
                for (int inner = writes.Below(6); inner > 0; inner--)
                    Send(master, writes);
                if (writes.Below(4) == 0)
                    master.Call("SELECT", "1");
                Send(master, writes);
                master.Call("EXEC");
                master.Call("SELECT", "0");
            }

            count--;
        }
    }

    /// <summary>Fills the master.</summary>
    public static void Populate(RespClient master, RandomWrites writes)
    {
        foreach (string[] command in writes.Population())
            master.Call(command);
    }

    /// <summary>A field of INFO.</summary>
    public static string Field(RespClient client, string section, string name)
    {
        foreach (string line in client.Call("INFO", section).Text.Split("\r\n"))
        {
            if (line.StartsWith(name + ":", StringComparison.Ordinal))
                return line[(name.Length + 1)..];
        }

        return "";
    }

    /// <summary>A counter of INFO.</summary>
    public static long Number(RespClient client, string section, string name) =>
        long.Parse(Field(client, section, name), CultureInfo.InvariantCulture);

    /// <summary>Waits until something is so.</summary>
    public static void Await(string what, Func<bool> isSo)
    {
        for (long start = Environment.TickCount64; !isSo(); Thread.Sleep(PollMs))
            Assert.True(Environment.TickCount64 - start < WaitMsMax, $"it takes too long until {what}");
    }

    /// <summary>Waits until both are the same: data, offset, history.</summary>
    public void AwaitEqual()
    {
        string last = "";
        for (long start = Environment.TickCount64; !AreEqual(out last); Thread.Sleep(PollMs))
            Assert.True(Environment.TickCount64 - start < WaitMsMax, last);
    }

    private bool AreEqual(out string state)
    {
        Dictionary<string, (string Theirs, string Own)> facts = [];
        foreach (string name in (string[])["master_replid", "master_repl_offset"])
            facts[name] = (Field(master, "replication", name), Field(replica, "replication", name));
        facts["digest"] = (master.Call("DEBUG", "DIGEST").Text, replica.Call("DEBUG", "DIGEST").Text);
        state = string.Join('\n', facts);
        foreach ((string theirs, string own) in facts.Values)
        {
            if (theirs != own)
                return false;
        }

        return Field(replica, "replication", "master_link_status") == "up";
    }

    private static void Send(RespClient master, RandomWrites writes) => master.Call(writes.Next());
}
