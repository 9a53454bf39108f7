using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Engine.Generated;
using Cinnabar.Security.Rules;
using Cinnabar.Engine.Specs;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine;

/// <summary>The command table: finding by name, renaming, and what the specs say.</summary>
public sealed class CommandTableTests
{
    [Fact]
    public void EveryCommandIsFoundByItsNameInAnyCase()
    {
        var table = new CommandTable();
        foreach (CommandSpec spec in table.All)
        {
            Assert.Same(spec, table.Find(spec.NameBytes));
            Assert.Same(spec, table.Find(Bytes(spec.Name.ToUpperInvariant())));
            Assert.Same(spec, CommandTable.Get(spec.Id));
            foreach (CommandSpec subcommand in spec.Subcommands)
            {
                string word = subcommand.Name[(spec.Name.Length + 1)..];
                Assert.Same(spec, subcommand.Parent);
                Assert.Same(subcommand, spec.FindSubcommand(Bytes(word)));
                Assert.Same(subcommand, spec.FindSubcommand(Bytes(word.ToUpperInvariant())));
                Assert.Same(subcommand, table.FindFull(Bytes(subcommand.Name.ToUpperInvariant())));
                Assert.Null(table.Find(subcommand.NameBytes));
            }
        }

        Assert.Equal(CommandId.Get, table.Find("gEt"u8)!.Id);
        Assert.Equal(CommandId.ClientNoEvict, table.FindFull("client|No-Evict"u8)!.Id);
    }

    [Fact]
    public void ANameThatIsNearlyACommandIsNone()
    {
        var table = new CommandTable();
        foreach (CommandSpec spec in table.All)
        {
            byte[] name = spec.NameBytes.ToArray();
            Assert.Null(table.Find([.. name, 0]));
            Assert.Null(table.Find([.. name, (byte)'~']));
            Assert.Null(table.Find([0, .. name]));
            for (int i = 0; i < name.Length; i++)
            {
                byte original = name[i];
                for (int c = 0; c < 256; c++)
                {
                    name[i] = (byte)c;
                    bool isSame = char.ToLowerInvariant((char)c) == original && c < 128;
                    CommandSpec? found = table.Find(name);
                    if (isSame) Assert.Same(spec, found);
                    else Assert.NotSame(spec, found);
                }

                name[i] = original;
            }
        }

        Assert.Null(table.Find(""u8));
        Assert.Null(table.FindFull("|"u8));
        Assert.Null(table.FindFull("config|"u8));
        Assert.Null(table.FindFull("get|get"u8));
    }

    [Fact]
    public void ARenamedCommandHasOnlyItsNewName()
    {
        var table = new CommandTable();
        int count = table.All.Length;
        CommandSpec keys = table.Find("keys"u8)!;
        Assert.True(table.Rename("KEYS"u8, "Secret\xff-Of-The-House"u8));
        Assert.Null(table.Find("keys"u8));
        Assert.Same(keys, table.Find("sECRET\xff-oF-tHE-hOUSE"u8));
        Assert.Equal("keys", keys.Name);
        Assert.True(table.Rename("secret\xff-of-the-house"u8, "keys2"u8));
        Assert.Same(keys, table.Find("KEYS2"u8));
        Assert.True(table.Rename("flushall"u8, ""u8));
        Assert.Null(table.Find("flushall"u8));
        Assert.Equal(count - 1, table.All.Length);
        Assert.False(table.Rename("flushall"u8, "x"u8));
        Assert.False(table.Rename("get"u8, "SET"u8));
        Assert.True(table.Rename("get"u8, "GET"u8));
        Assert.NotNull(table.Find("get"u8));
        Assert.NotNull(new CommandTable().Find("flushall"u8));
    }

    [Fact]
    public void ASpecSaysWhatItsFileSays()
    {
        CommandSpec set = CommandTable.Get(CommandId.Set);
        Assert.Equal(-3, set.Arity);
        Assert.False(set.AcceptsCount(2));
        Assert.True(set.AcceptsCount(3) && set.AcceptsCount(9));
        Assert.Equal(CommandFlags.Write | CommandFlags.DenyOom, set.Flags);
        Assert.Equal(AclCategories.Write | AclCategories.String | AclCategories.Slow, set.Categories);
        Assert.Equal((1, 1, 1), (set.FirstKey, set.LastKey, set.KeyStep));
        Assert.Equal(LockScope.Keys, set.Lock);
        Assert.Equal(CommandCost.Constant, set.Cost);
        Assert.False(set.IsContainer);

        CommandSpec many = CommandTable.Get(CommandId.Msetex);
        Assert.Equal(0, many.FirstKey);
        Assert.True(many.Flags.HasFlag(CommandFlags.MovableKeys));
        KeySpec keys = Assert.Single(many.KeySpecs.ToArray());
        Assert.Equal((KeyBegin.Index, 1, KeyFind.KeyNum), (keys.Begin, keys.BeginPosition, keys.Find));
        Assert.Equal((0, 1, 2), (keys.KeyNumIndex, keys.FirstKey, keys.KeyStep));

        CommandSpec combine = CommandTable.Get(CommandId.Bitop);
        Assert.Equal((2, -1, 1), (combine.FirstKey, combine.LastKey, combine.KeyStep));
    }

    [Fact]
    public void TheTreesOfRepliesAreWhole()
    {
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
        {
            Assert.Equal(1, CountNodes(spec.InfoTree, spec.Name));
            Assert.Equal(1, CountNodes(spec.DocsTree, null));
        }
    }

    /// <summary>A spec that names a missing function binds none, and its command would lock
    /// nothing.</summary>
    [Fact]
    public void EveryLockThatIsChosenHasItsChooser()
    {
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
            Assert.Equal(spec.Lock == LockScope.Chosen, spec.LockChooserAddress != 0);
        foreach (CommandId id in new[] { CommandId.Sort, CommandId.SortRo, CommandId.Georadius })
            Assert.NotEqual(0, CommandTable.Get(id).LockAllIfAddress);
    }

    [Fact]
    public void FindingACommandAllocatesNothing()
    {
        var table = new CommandTable();
        byte[] name = Bytes("PExpireTime");
        Assert.NotNull(table.Find(name));
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++) table.Find(name);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    // Reads a text that should hold one tree; gives how many it holds.
    private static int CountNodes(ReadOnlySpan<byte> text, string? firstBulk)
    {
        var tree = new SpecTree(text);
        var pending = new Stack<long>();
        int count = 0;
        while (!tree.IsAtEnd)
        {
            if (pending.Count == 0) count++;
            else pending.Push(pending.Pop() - 1);
            SpecNodeKind kind = tree.Head(out long number);
            long children = kind is SpecNodeKind.Array or SpecNodeKind.Set ? number
                : kind == SpecNodeKind.Map ? number * 2 : 0;
            if (kind is SpecNodeKind.Bulk or SpecNodeKind.Status)
            {
                string bytes = Encoding.ASCII.GetString(tree.Bytes(number));
                if (firstBulk != null) Assert.Equal(firstBulk, bytes);
                firstBulk = null;
            }

            if (children > 0) pending.Push(children);
            while (pending.Count > 0 && pending.Peek() == 0) pending.Pop();
        }

        Assert.Empty(pending);
        return count;
    }
}
