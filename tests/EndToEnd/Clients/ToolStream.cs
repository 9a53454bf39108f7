using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Cinnabar.Tests.EndToEnd.Clients;

/// <summary>A program that runs until it is stopped, read line by line.</summary>
internal sealed class ToolStream : IDisposable
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(5);

    private readonly Process _process;

    public ToolStream(string program, params string[] arguments)
    {
        // Into a pipe the C library would write only whole blocks.
        var start = new ProcessStartInfo("stdbuf", ["-oL", program, .. arguments])
        {
            RedirectStandardOutput = true,
        };
        _process = Process.Start(start)!;
    }

    /// <summary>The next line that is not empty.</summary>
    public string ReadLine()
    {
        while (true)
        {
            Task<string?> line = _process.StandardOutput.ReadLineAsync();
            if (!line.Wait(s_hang))
                throw new TimeoutException("the program says nothing more");
            if (line.Result is null)
                throw new EndOfStreamException("the program has ended");
            if (line.Result.AsSpan().Trim().Length > 0)
                return line.Result;
        }
    }

    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }
}
