using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Cinnabar.Lab;

/// <summary>A socket's stream for readers of lines: it ends a line that never ends, which
/// <see cref="StreamReader"/> would collect until the memory is full.</summary>
public sealed class LineLimitedStream(Socket socket) : NetworkStream(socket)
{
    private long _lineBytes;

    /// <inheritdoc/>
    /// <exception cref="ProtocolException">A line has more bytes than a request may.</exception>
    public override async ValueTask<int> ReadAsync(
        Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int size = await base.ReadAsync(buffer, cancellationToken);
        int end = buffer.Span[..size].LastIndexOf((byte)'\n');
        _lineBytes = end < 0 ? _lineBytes + size : size - end - 1;
        return _lineBytes <= RequestLimits.RequestBytesMax ? size
            : throw new ProtocolException("a line without end");
    }
}
