using System;
using System.Collections.Generic;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>The key K of a harness, loaded from bytes.</summary>
internal static unsafe class LoadedKey
{
    /// <summary>Loads it; it must be missing.</summary>
    public static void Load(CommandHarness harness, RdbValueLoader loader, RdbType type, byte[] bytes,
        bool isWhole = true)
    {
        byte[] name = "K"u8.ToArray();
        fixed (byte* data = name)
        {
            var cursor = new RdbCursor(bytes);
            var key = new Key(data, name.Length, harness.Keyspace.Hash(name));
            harness.Execution.Keys.Begin(0, harness.NowMs);
            loader.Load(harness.Execution.Keys, in key, type, ref cursor, RdbLoadOptions.None);
            harness.Execution.Keys.Commit();
            Assert.True(!isWhole || cursor.Left == 0, "bytes are left behind the value");
        }
    }

    /// <summary>The elements of a reply, those of nested arrays one after the other.</summary>
    public static string[] Elements(string reply)
    {
        var elements = new List<string>();
        int at = 0;
        while (at < reply.Length)
        {
            int end = reply.IndexOf("\r\n", at, StringComparison.Ordinal);
            string line = reply[(at + 1)..end];
            char kind = reply[at];
            at = end + 2;
            if (kind is '*' or '%')
                continue;
            if (kind == '$' && line != "-1")
            {
                int length = int.Parse(line);
                line = reply.Substring(at, length);
                at += length + 2;
            }

            elements.Add(line);
        }

        return [.. elements];
    }
}
