using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>What a fresh server makes of a file, and of a file and a stream, as lines that can be compared.
/// Its clock stands where the simulation began, so that no deadline has passed: what the master has not yet
/// removed counts.</summary>
internal static class LoadedData
{
    private const int ShownLineCount = 8;

    /// <summary>The data of an RDB file.</summary>
    public static List<string> Of(byte[] file)
    {
        var files = new SimulatedFileSystem();
        files.Put(PathOf("dump.rdb"), file);
        return Load(files, "no");
    }

    /// <summary>The data of an RDB file and the commands that follow, as an append-only file has
    /// them.</summary>
    public static List<string> Of(byte[] file, ReadOnlySpan<byte> stream)
    {
        var files = new SimulatedFileSystem();
        files.Put(PathOf("appendonlydir/appendonly.aof.1.base.rdb"), file);
        files.Put(PathOf("appendonlydir/appendonly.aof.1.incr.aof"), stream);
        files.Put(PathOf("appendonlydir/appendonly.aof.manifest"), Encoding.ASCII.GetBytes(
            "file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n"));
        return Load(files, "yes");
    }

    /// <summary>Fails where a replica has other data than its master.</summary>
    public static void Compare(List<string> ofMaster, List<string> ofReplica, string where)
    {
        if (ofMaster.SequenceEqual(ofReplica))
            return;
        throw new InvalidDataException($"{where}: a replica has other data. The master:\n"
            + Some(ofMaster.Except(ofReplica)) + "\nthe replica:\n" + Some(ofReplica.Except(ofMaster)));
    }

    /// <summary>Fails where a server could not load its files.</summary>
    public static void Check(Exception? fault)
    {
        if (fault is not null)
            throw new InvalidDataException("It cannot load its files.", fault);
    }

    private static string PathOf(string name) => Path.Combine(Directory.GetCurrentDirectory(), name);

    private static string Some(IEnumerable<string> lines) =>
        string.Join('\n', lines.Take(ShownLineCount).Select(Request.Short));

    private static List<string> Load(SimulatedFileSystem files, string isAppendOnly)
    {
        using TestServer server = TestServer.On(files, new ManualClock(),
            ("appendonly", isAppendOnly), ("enable-debug-command", "yes"));
        server.Engine.Loading.Prepare();
        server.Engine.Loading.Begin(Check);
        server.Run();
        TestClient client = server.Connect();
        List<string> lines = DataText.Of(words => client.Call(words), DataDetail.Whole);
        lines.Add(client.Call("FUNCTION", "LIST", "WITHCODE").ToString());
        return lines;
    }
}
