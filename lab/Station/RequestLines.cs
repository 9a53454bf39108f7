using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Threading.Tasks;

namespace Cinnabar.Lab;

/// <summary>
/// Commands read line by line, as the first stations do: <c>*2</c>, <c>$3</c>, <c>GET</c>, <c>$1</c>,
/// <c>k</c>, or all in one line, <c>GET k</c>. A value is a line too: with a line end (even a lone CR or LF)
/// in it, it is shorter than it was announced, and the connection ends instead of keeping half of it.
/// </summary>
/// <param name="readLine">Reads one line without its end; null: the connection has ended.</param>
public sealed class RequestLines(Func<ValueTask<string?>> readLine)
{
    private readonly List<string> _arguments = [];

    /// <summary>The next command's arguments, valid until the next call; null: the connection has ended.
    /// </summary>
    /// <exception cref="ProtocolException">No command.</exception>
    /// <exception cref="EndOfStreamException">Half a command.</exception>
    public async ValueTask<List<string>?> ReadAsync()
    {
        for (_arguments.Clear(); _arguments.Count == 0;)
        {
            string? line = await readLine();
            if (line is null) return null;
            if (!line.StartsWith('*')) Split(line);
            else await ReadArgumentsAsync(Number(line, RequestLimits.ArgumentCountMax));
        }

        return _arguments;
    }

    private void Split(string line)
    {
        if (line.Length > RequestLimits.LineBytesMax) throw new ProtocolException("too big inline request");
        _arguments.AddRange(line.Split(' ', StringSplitOptions.RemoveEmptyEntries));
    }

    private async ValueTask ReadArgumentsAsync(int count)
    {
        int bytesLeft = RequestLimits.RequestBytesMax;
        for (int index = 0; index < count; index++)
        {
            string header = await readLine() ?? throw new EndOfStreamException();
            if (!header.StartsWith('$')) throw new ProtocolException("expected '$'");
            int size = Number(header, bytesLeft);
            string argument = await readLine() ?? throw new EndOfStreamException();
            if (argument.Length != size) throw new ProtocolException("not as long as announced");
            _arguments.Add(argument);
            bytesLeft -= size;
        }
    }

    private static int Number(string line, int max) =>
        int.TryParse(line.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out int number)
        && number <= max ? number : throw new ProtocolException("invalid length");
}
