using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>Takes replies from a stream as the bytes that they are (Latin-1): a null is not like another
/// null.</summary>
/// <param name="input">The stream.</param>
/// <param name="isShape">Whether texts and numbers are left out: only what they are is taken.</param>
public sealed class RawReplies(Stream input, bool isShape = false)
{
    private readonly StringBuilder _bytes = new();

    /// <summary>The bytes of one reply.</summary>
    /// <exception cref="EndOfStreamException">It ends before the reply does.</exception>
    public string Read()
    {
        _bytes.Clear();
        Take();
        return _bytes.ToString();
    }

    /// <summary>The replies that some bytes are.</summary>
    public static List<string> Of(string bytes, bool isShape = false)
    {
        using var stream = new MemoryStream(Encoding.Latin1.GetBytes(bytes));
        var replies = new RawReplies(stream, isShape);
        List<string> all = [];
        while (stream.Position < stream.Length)
            all.Add(replies.Read());
        return all;
    }

    private void Take()
    {
        int begin = _bytes.Length;
        while (_bytes.Length - begin < 2 || _bytes[^1] != '\n')
            TakeByte();
        char kind = _bytes[begin];
        if (kind is not ('$' or '=' or '!' or '*' or '~' or '>' or '%' or '|'))
        {
            if (isShape)
                _bytes.Length = begin + 1;
            return;
        }

        int count = int.Parse(
            _bytes.ToString(begin + 1, _bytes.Length - begin - 3), CultureInfo.InvariantCulture);
        if (count < 0)
            return;
        if (kind is '$' or '=' or '!')
        {
            int text = _bytes.Length;
            for (int left = count + 2; left > 0; left--)
                TakeByte();
            // A verbatim text names its format.
            if (isShape)
                _bytes.Remove(begin + 1, text - begin - 1).Length = begin + (kind == '=' ? 4 : 1);
            return;
        }

        for (int left = kind is '%' or '|' ? count * 2 : count; left > 0; left--)
            Take();
    }

    private void TakeByte()
    {
        int next = input.ReadByte();
        if (next < 0)
            throw new EndOfStreamException($"after {_bytes}");
        _bytes.Append((char)next);
    }
}
