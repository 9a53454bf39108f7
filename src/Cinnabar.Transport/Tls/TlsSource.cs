// A server's TLS: the context that new connections use, made of the configuration.
//
//   start, CONFIG SET, tls-auto-reload-interval ──► TryLoad ──► a new context, or the old one stays
//   handshakes ──► MakeEngine
//
// A context is loaded whole before it replaces the earlier one. Connections that have begun keep theirs.
// Without tls-port nothing is loaded and nothing is checked, as in Redis.

using Cinnabar.Engine;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Transport.Tls;

/// <summary>Makes the engines of a server's TLS connections. Any thread may use it.</summary>
/// <param name="engine">The server.</param>
/// <param name="library">What does TLS.</param>
internal sealed class TlsSource(ServerEngine engine, ITlsLibrary library) : IDisposable
{
    /// <summary>The error of a CONFIG SET that fails.</summary>
    public const string Failure = "Unable to update TLS configuration. Check server logs.";

    private readonly ServerEngine _engine = engine;
    private readonly ITlsLibrary _library = library;
    private readonly Lock _lock = new();
    private TlsSetup? _context;
    private string _fingerprint = "";
    private long _version;
    private Timer? _reload;
    private bool _isDisposed;

    /// <summary>Whether connections can be made.</summary>
    public bool IsReady
    {
        get
        {
            lock (_lock)
                return _context is not null;
        }
    }

    /// <summary>Has CONFIG SET of its directives replace the context.</summary>
    public void FollowConfiguration()
    {
        foreach (string name in (string[])[
            "tls-cert-file", "tls-key-file", "tls-key-file-pass", "tls-client-cert-file",
            "tls-client-key-file", "tls-client-key-file-pass", "tls-ca-cert-file", "tls-ca-cert-dir",
            "tls-dh-params-file", "tls-auth-clients", "tls-protocols", "tls-ciphers", "tls-ciphersuites",
            "tls-prefer-server-ciphers", "tls-session-caching", "tls-session-cache-size",
            "tls-session-cache-timeout"])
            _engine.Configuration.Subscribe(name, () => TryLoad() ? null : Failure);
        _engine.Configuration.Follow("tls-auto-reload-interval", SetReload);
    }

    /// <summary>Makes the context anew if there is a TLS port.</summary>
    /// <returns>False where that fails: the log says why, and the earlier context stays.</returns>
    public bool TryLoad()
    {
        if (_engine.Configuration.NumberOf("tls-port") == 0)
            return true;
        try
        {
            if (_library.FindMissing() is { } missing)
                throw new TlsFailedException($"TLS cannot be used: {missing}");
            var options = TlsOptions.Read(_engine.Configuration);
            string fingerprint = TlsFiles.Fingerprint(options);
            lock (_lock)
                Load(options, fingerprint);
            return true;
        }
        catch (TlsFailedException failure)
        {
            _engine.Log.Write(LogLevel.Warning, failure.Message);
            return false;
        }
    }

    /// <summary>Makes the protocol of a new connection.</summary>
    public TlsEngine MakeEngine()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_context is null, this);
            return _context.MakeEngine();
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _reload?.Dispose();
            _context?.Dispose();
            _context = null;
        }
    }

    private void SetReload()
    {
        long seconds = _engine.Configuration.NumberOf("tls-auto-reload-interval");
        lock (_lock)
        {
            _reload?.Dispose();
            _reload = null;
            if (seconds <= 0 || _isDisposed)
                return;
            var period = TimeSpan.FromSeconds(seconds);
            _reload = new Timer(static source => ((TlsSource)source!).Reload(), this, period, period);
        }
    }

    private void Load(TlsOptions options, string fingerprint)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread);
        if (_isDisposed)
            return;
        TlsSetup context = _library.Load(options);
        // Engines hold what they need of the earlier one.
        _context?.Dispose();
        _context = context;
        _fingerprint = fingerprint;
        _version++;
        _engine.Tls.Certificates = context.Certificates;
    }

    /// <summary>Loads the files again if one of them has changed.</summary>
    private void Reload()
    {
        try
        {
            // The configuration has a lock of its own, which CONFIG SET holds while it calls this object.
            long version = Interlocked.Read(ref _version);
            var options = TlsOptions.Read(_engine.Configuration);
            string fingerprint = TlsFiles.Fingerprint(options);
            lock (_lock)
            {
                // A CONFIG SET meanwhile has loaded what is configured now.
                if (_context is null || _version != version || fingerprint == _fingerprint)
                    return;
                Load(options, fingerprint);
            }

            _engine.Log.Write(LogLevel.Notice, "TLS materials reloaded successfully");
        }
        catch (TlsFailedException failure)
        {
            _engine.Log.Write(LogLevel.Warning, failure.Message);
            _engine.Log.Write(
                LogLevel.Warning, "Failed to reload TLS materials, the earlier ones stay in use");
        }
    }
}
