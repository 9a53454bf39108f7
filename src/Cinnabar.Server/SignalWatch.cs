using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Cinnabar.Server;

/// <summary>
/// Takes the signals of the process: those that ask it to end, and SIGHUP, which it ignores.
/// </summary>
internal sealed class SignalWatch : IDisposable
{
    private readonly List<PosixSignalRegistration> _registrations = [];

    internal SignalWatch(Action<PosixSignal> onStopSignal)
    {
        foreach (PosixSignal signal in (PosixSignal[])[PosixSignal.SIGINT, PosixSignal.SIGTERM])
        {
            _registrations.Add(PosixSignalRegistration.Create(signal, signalled =>
            {
                signalled.Cancel = true;
                onStopSignal(signalled.Signal);
            }));
        }
        if (!OperatingSystem.IsWindows())
            _registrations.Add(PosixSignalRegistration.Create(PosixSignal.SIGHUP, hangUp =>
                hangUp.Cancel = true));
    }

    /// <summary>Gives the signals back to the runtime.</summary>
    public void Dispose()
    {
        foreach (PosixSignalRegistration registration in _registrations)
            registration.Dispose();
    }
}
