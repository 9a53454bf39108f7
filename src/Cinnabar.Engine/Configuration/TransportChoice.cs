namespace Cinnabar.Engine.Configuration;

/// <summary>The values of the directive <c>transport</c>, which only this server has.</summary>
public enum TransportChoice
{
    /// <summary>The fastest that this system allows.</summary>
    Auto,

    /// <summary>Linux's io_uring by direct system calls; epoll where the system does not allow it.</summary>
    Uring,

    /// <summary>Linux's epoll by direct system calls.</summary>
    Epoll,

    /// <summary>The runtime's own sockets, on every system.</summary>
    Portable,
}
