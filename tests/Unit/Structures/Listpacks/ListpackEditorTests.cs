using System;
using System.Text;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Listpacks;

public sealed unsafe class ListpackEditorTests
{
    [Fact]
    public void InsertsBeforeBetweenAndBehind()
    {
        using var pack = new ListpackMemory("b");
        pack.Edit(3).Insert(pack.Reader.First, new ListpackElement("a"u8));
        pack.Edit(3).Append(new ListpackElement("d"u8));
        pack.Edit(3).Insert(pack.Reader.Last, new ListpackElement("c"u8));
        pack.Edit(5).Append(new ListpackElement("e"u8), new ListpackElement(5));
        pack.Edit(5).Insert(pack.Reader.First, new ListpackElement("0"u8), new ListpackElement("z"u8));
        Assert.Equal(["0", "z", "a", "b", "c", "d", "e", "5"], pack.Texts());
        Assert.Equal(8, pack.Reader.Count);
    }

    [Fact]
    public void ReplacesByWhatIsShorterAsLongAndLonger()
    {
        using var pack = new ListpackMemory("a", "middle", "z");
        foreach (string text in (string[])["1", "x", "a longer text than before", "y", new string('q', 200)])
        {
            var element = new ListpackElement(Encoding.Latin1.GetBytes(text));
            int position = pack.Reader.Seek(1);
            pack.Edit(Math.Max(0, element.Size - pack.Reader.SizeAt(position))).Replace(position, element);
            Assert.Equal(["a", text, "z"], pack.Texts());
            Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
        }
    }

    [Fact]
    public void DeletesRanges()
    {
        using var pack = new ListpackMemory("0", "1", "2", "3", "4", "5", "6");
        Assert.Equal(2, pack.Edit().Delete(pack.Reader.Seek(2), 2));
        Assert.Equal(["0", "1", "4", "5", "6"], pack.Texts());
        Assert.Equal(1, pack.Edit().Delete(pack.Reader.First));
        Assert.Equal(0, pack.Edit().Delete(pack.Reader.End, 3));
        Assert.Equal(0, pack.Edit().Delete(pack.Reader.First, 0));
        Assert.Equal(2, pack.Edit().Delete(pack.Reader.Seek(2), 99));
        Assert.Equal(["1", "4"], pack.Texts());
        Assert.Equal(2, pack.Edit().Delete(pack.Reader.First, int.MaxValue));
        Assert.Equal("070000000000ff", Convert.ToHexStringLower(pack.Reader.Bytes));
    }

    [Fact]
    public void AGapIsFilledWithManyAtOnce()
    {
        using var pack = new ListpackMemory("first", "last");
        string[] texts = ["12", "-5000", "text", new string('l', 90)];
        long size = 0;
        foreach (string text in texts) size += Element(text).Size;
        ListpackGap gap = pack.Edit(size).Open(pack.Reader.Last, size, texts.Length);
        foreach (string text in texts) gap.Write(Element(text));
        gap.Complete();
        Assert.Equal(["first", .. texts, "last"], pack.Texts());
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
    }

    [Fact]
    public void AGapTakesExactlyTheDeclaredBytes()
    {
        using var pack = new ListpackMemory("a");
        byte* data = pack.Edit(100).Reader.Entries(6, 6).IsEmpty ? pack.Data : null;
        Assert.Throws<InvalidOperationException>(() => Fill(data, 3, 1, "b", "c"));
        Assert.Throws<InvalidOperationException>(() => Fill(data, 3, 1, "too long"));
        Assert.Throws<InvalidOperationException>(() => Fill(data, 6, 2, "b"));
        Assert.Throws<InvalidOperationException>(() => Fill(data, 4, 1, "b"));
    }

    [Fact]
    public void AnInsertionThatDoesNotFitChangesNothing()
    {
        using var pack = new ListpackMemory("a", "b");
        string before = Convert.ToHexString(pack.Reader.Bytes);
        Assert.Throws<ArgumentOutOfRangeException>(() => pack.Edit(2).Append(new ListpackElement("c"u8)));
        pack.Trim();
        Assert.Throws<ArgumentOutOfRangeException>(
            () => pack.Edit(0).Replace(pack.Reader.First, new ListpackElement("aa"u8)));
        Assert.Throws<ArgumentOutOfRangeException>(() => pack.Edit(5).Open(pack.Reader.End, 6, 2));
        pack.Trim();
        Assert.Equal(before, Convert.ToHexString(pack.Reader.Bytes));
    }

    [Fact]
    public void EntriesGoFromOneListpackToAnother()
    {
        using var source = new ListpackMemory("a", "1", "b", "2", "c", "3");
        using var target = new ListpackMemory("x", "y");
        ReadOnlySpan<byte> entries = source.Reader.Entries(source.Reader.Seek(2), source.Reader.Seek(4));
        target.Edit(entries.Length).InsertEntries(target.Reader.Last, entries, 2);
        Assert.Equal(["x", "b", "2", "y"], target.Texts());
        ReadOnlySpan<byte> all = source.Reader.Entries(Listpack.HeaderSize, source.Reader.End);
        target.Edit(all.Length).InsertEntries(target.Reader.End, all, source.Reader.Count);
        Assert.Equal(["x", "b", "2", "y", "a", "1", "b", "2", "c", "3"], target.Texts());
        Assert.True(ListpackValidator.IsSound(target.Reader.Bytes, 2));
    }

    [Fact]
    public void ASieveRemovesScatteredEntries()
    {
        using var pack = new ListpackMemory("a", "-", "b", "c", "-", "-", "long text that stays", "-");
        var sieve = new ListpackSieve(pack.Data);
        while (sieve.MoveNext())
        {
            if (sieve.Current.Equals("-"u8)) sieve.Drop();
        }
        Assert.Equal(4, sieve.Complete());
        Assert.Equal(["a", "b", "c", "long text that stays"], pack.Texts());
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));

        var nothing = new ListpackSieve(pack.Data);
        Assert.True(nothing.MoveNext());
        Assert.Equal(0, nothing.Complete());
        var first = new ListpackSieve(pack.Data);
        Assert.True(first.MoveNext());
        first.Drop();
        Assert.Equal(1, first.Complete());
        Assert.Equal(["b", "c", "long text that stays"], pack.Texts());
    }

    // The header's count goes up to 65,534; from 65,535 on it is not known and stays so.
    [Fact]
    public void CountsAbove65534AreCounted()
    {
        const int Known = 65_534;
        using var pack = new ListpackMemory(1 << 18);
        var element = new ListpackElement(7);
        ListpackGap gap = pack.Edit(2L * Known).Open(pack.Reader.End, 2L * Known, Known);
        for (int i = 0; i < Known; i++) gap.Write(element);
        gap.Complete();
        Assert.Equal(Known, pack.Reader.Count);
        Assert.Equal(Known, *(ushort*)(pack.Data + 4));
        pack.Edit(4).Append(element, element);
        Assert.Equal(ushort.MaxValue, *(ushort*)(pack.Data + 4));
        Assert.Equal(Known + 2, pack.Reader.Count);
        Assert.Equal(pack.Reader.Last, pack.Reader.Seek(Known + 1));
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes, 2));
        Assert.Equal(6, pack.Edit().Delete(pack.Reader.First, 6));
        Assert.Equal(ushort.MaxValue, *(ushort*)(pack.Data + 4));
        Assert.Equal(Known - 4, pack.Reader.Count);
    }

    private static void Fill(byte* data, int size, int count, params string[] texts)
    {
        Listpack.Initialize(data);
        ListpackGap gap = new ListpackEditor(data, 100).Open(Listpack.HeaderSize, size, count);
        foreach (string text in texts) gap.Write(Element(text));
        gap.Complete();
    }

    private static ListpackElement Element(string text) => new(Encoding.Latin1.GetBytes(text));
}
