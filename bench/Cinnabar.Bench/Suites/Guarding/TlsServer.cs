using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using Cinnabar.Bench.Suites.Durability;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Guarding;

/// <summary>A server with a port for TLS and an RSA-2048 certificate of its own; clients need none.</summary>
internal sealed class TlsServer : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("cinnabar-bench-tls-").FullName;
    private readonly ReservedPort _port = new();

    /// <summary>Makes the certificate and starts the server.</summary>
    /// <exception cref="LoadException">One of them fails.</exception>
    public TlsServer(ServerSpec spec, Round round)
    {
        string key = Path.Combine(_folder, "server.key");
        RunProgram([], "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-keyout", key, "-out", CertificateFile);
        Server = round.Start(DataFolder.WithOptions(spec, "--tls-port", $"{Port}", "--tls-cert-file",
            CertificateFile, "--tls-key-file", key, "--tls-auth-clients", "no", "--loglevel", "warning"));
    }

    /// <summary>The server.</summary>
    public MeasuredServer Server { get; }

    /// <summary>Its port for TLS.</summary>
    public int Port => _port.Number;

    /// <summary>The certificate that clients must trust.</summary>
    public string CertificateFile => Path.Combine(_folder, "server.crt");

    /// <summary>Starts a program on the cores of the load; its output is to be read.</summary>
    /// <exception cref="LoadException">It does not start.</exception>
    public static Process StartProgram(IReadOnlyList<int> cores, params string[] words)
    {
        if (OperatingSystem.IsLinux() && cores.Count > 0)
            words = ["taskset", "-c", string.Join(',', cores), .. words];
        var start = new ProcessStartInfo(words[0], words[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        return Process.Start(start) ?? throw new LoadException($"{words[0]} does not start");
    }

    /// <summary>Runs a program to its end.</summary>
    /// <returns>What it printed.</returns>
    /// <exception cref="LoadException">It fails.</exception>
    public static string RunProgram(IReadOnlyList<int> cores, params string[] words)
    {
        using Process process = StartProgram(cores, words);
        return Finish(process, words[0]);
    }

    /// <summary>Waits for the end of a program.</summary>
    /// <returns>What it printed.</returns>
    /// <exception cref="LoadException">It fails.</exception>
    public static string Finish(Process process, string name)
    {
        var errors = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? output
            : throw new LoadException($"{name} ended with {process.ExitCode}: {errors.Result}");
    }

    public void Dispose()
    {
        Server.Dispose();
        _port.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
