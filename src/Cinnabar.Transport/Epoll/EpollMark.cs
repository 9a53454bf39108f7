namespace Cinnabar.Transport.Epoll;

/// <summary>What the events of a descriptor carry: 64 bits, as the kernel keeps them.</summary>
/// <param name="Descriptor">The descriptor; that of a listener with a mark of its own.</param>
/// <param name="Loop">The index of the loop that it belongs to.</param>
internal readonly record struct EpollMark(int Descriptor, int Loop);
