using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>A listpack in memory that is never larger than it: every growth is computed before.</summary>
public sealed unsafe class ListpackMemory : IDisposable
{
    private readonly PackMemory _memory;

    /// <param name="sizeMax">The most bytes it will have.</param>
    public ListpackMemory(int sizeMax = 1 << 16)
    {
        _memory = new PackMemory(sizeMax);
        _memory.Resize(Listpack.EmptySize);
        Listpack.Initialize(_memory.Data);
    }

    /// <summary>Makes a listpack of texts.</summary>
    public ListpackMemory(params string[] texts) : this()
    {
        foreach (string text in texts) Insert(Reader.End, Encoding.Latin1.GetBytes(text));
    }

    /// <summary>The first byte.</summary>
    public byte* Data => _memory.Data;

    /// <summary>How many bytes the memory has.</summary>
    public int Length => _memory.Capacity;

    /// <summary>The listpack as it is now.</summary>
    public ListpackReader Reader => new(_memory.Data);

    /// <summary>An editor that can make it so many bytes larger.</summary>
    public ListpackEditor Edit(long growth = 0)
    {
        _memory.Resize((int)(Reader.Size + growth));
        return new ListpackEditor(_memory.Data, _memory.Capacity);
    }

    /// <summary>Gives back the memory that is not used.</summary>
    public void Trim() => _memory.Resize(Reader.Size);

    /// <summary>Becomes these bytes, sound or not.</summary>
    public void Set(ReadOnlySpan<byte> bytes) => _memory.Set(bytes);

    /// <summary>Puts a text before a position.</summary>
    public void Insert(int position, ReadOnlySpan<byte> text)
    {
        var element = new ListpackElement(text);
        Edit(element.Size).Insert(position, element);
    }

    /// <summary>All entries as texts, a byte a character.</summary>
    public List<string> Texts()
    {
        List<string> texts = [];
        foreach (ListpackValue value in Reader) texts.Add(TextOf(value));
        return texts;
    }

    /// <summary>A value as a text, a byte a character.</summary>
    public static string TextOf(ListpackValue value)
    {
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        return Encoding.Latin1.GetString(value.AsText(scratch));
    }

    /// <inheritdoc/>
    public void Dispose() => _memory.Dispose();
}
