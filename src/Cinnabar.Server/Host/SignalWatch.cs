namespace Cinnabar.Server.Host;

/// <summary>
/// Handles the signals of the process: those that ask it to end, SIGHUP, which it ignores, and SIGALRM, at
/// which Redis logs its stack and goes on.
/// </summary>
internal sealed class SignalWatch : IDisposable
{
    // Linux and macOS agree on its number, which the runtime has no name for.
    private const PosixSignal Alarm = (PosixSignal)14;

    private readonly List<PosixSignalRegistration> _registrations = [];

    internal SignalWatch(Action<PosixSignal> onStopSignal, Action onAlarm)
    {
        foreach (PosixSignal signal in (PosixSignal[])[PosixSignal.SIGINT, PosixSignal.SIGTERM])
        {
            _registrations.Add(PosixSignalRegistration.Create(signal, signalled =>
            {
                signalled.Cancel = true;
                onStopSignal(signalled.Signal);
            }));
        }
        if (OperatingSystem.IsWindows())
            return;
        _registrations.Add(PosixSignalRegistration.Create(PosixSignal.SIGHUP, hangUp =>
            hangUp.Cancel = true));
        _registrations.Add(PosixSignalRegistration.Create(Alarm, alarm =>
        {
            alarm.Cancel = true;
            onAlarm();
        }));
    }

    /// <summary>Gives the signals back to the runtime.</summary>
    public void Dispose()
    {
        foreach (PosixSignalRegistration registration in _registrations)
            registration.Dispose();
    }
}
