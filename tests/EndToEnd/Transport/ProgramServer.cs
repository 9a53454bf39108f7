using System;
using System.Collections.Generic;
using Cinnabar.Tests.EndToEnd.Server;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>The program on one of the transports, with two loops and checked memory. It must end by itself
/// when it is asked to, and give all memory back.</summary>
internal sealed class ProgramServer : IRunningServer
{
    private readonly ServerRun _run;
    private bool _isDisposed;

    /// <summary>Starts it, and waits until it listens.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="directives">Further directives.</param>
    public ProgramServer(string transport, params IEnumerable<(string Directive, string Value)> directives)
    {
        _run = Launch(transport, directives);
        _run.WaitUntilReady();
    }

    /// <inheritdoc/>
    public int Port => _run.Port;

    /// <inheritdoc/>
    public int ProcessId => _run.ProcessId;

    /// <summary>What it has printed: its log.</summary>
    public string Output => _run.Output;

    /// <summary>Starts it, without waiting.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="directives">Further directives.</param>
    public static ServerRun Launch(string transport, IEnumerable<(string Directive, string Value)> directives)
    {
        List<string> options =
            ["--bind", "127.0.0.1", "-::1", "--save", "", "--io-threads", "2", "--transport", transport];
        foreach ((string directive, string value) in directives)
            options.AddRange(["--" + directive, value]);
        return new ServerRun(("CINNABAR_CHECKED_MEMORY", "1"), null, [.. options]);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        using (_run)
        {
            // Windows has no such signal.
            if (OperatingSystem.IsWindows())
                return;
            _run.Signal("TERM");
            int exitCode = _run.WaitForEnd();
            Assert.True(exitCode == 0, $"the server ends with {exitCode}; it said:\n{Output}{_run.Error}");
            Assert.DoesNotContain("Memory was not given back", Output, StringComparison.Ordinal);
        }
    }
}
