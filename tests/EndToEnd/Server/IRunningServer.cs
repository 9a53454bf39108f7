using System;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>A server that runs until it is disposed of.</summary>
internal interface IRunningServer : IDisposable
{
    /// <summary>Its TCP port without TLS.</summary>
    int Port { get; }

    /// <summary>The process that it runs in.</summary>
    int ProcessId { get; }
}
