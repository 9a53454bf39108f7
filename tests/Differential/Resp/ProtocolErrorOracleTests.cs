using System;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Resp;

public sealed class ProtocolErrorOracleTests
{
    private static readonly string[] s_pieces =
    [
        "*1\r\n", "*2\r\n", "*0\r\n", "*-1\r\n", "*x\r\n", "*", "$", "$4\r\n", "$1\r\n", "$0\r\n",
        "$-1\r\n", "PING", "PING\r\n", "\r\n", "\r", "\n", " ", "\"", "'", "\\", "a", "0", "1",
        "*3\r\n$4\r\nPING\r\n", "$5\r\n", "ECHO", "\\x41", "$04\r\n", "*2147483648\r\n", "$536870913\r\n",
        "\t", "\v", "\u00ff",
    ];

    /// <summary>Both find the same fault, if any, in what is sent.</summary>
    [Fact]
    public void FindsTheFaultsThatTheOracleFinds()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        Seeded.Run(1, seed =>
        {
            Random random = new((int)seed);
            for (int round = 0; round < 1_500; round++)
            {
                string[] pieces = random.GetItems(s_pieces, random.Next(1, 9));
                Compare(oracle.Port, Encoding.Latin1.GetBytes(string.Concat(pieces)));
            }
        });
    }

    [Fact]
    public void EndsLinesWhereTheOracleDoes()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        foreach (char first in "*$a")
        {
            foreach (int count in (ReadOnlySpan<int>)[65535, 65536])
            {
                string line = (first == '$' ? "*1\r\n" : "") + first + new string('1', count);
                Compare(oracle.Port, Encoding.Latin1.GetBytes(line));
            }
        }
    }

    private static unsafe string OwnFault(byte[] bytes)
    {
        using ArgumentBuffer arguments = new();
        ScanState state = default;
        ScanResult result = default;
        fixed (byte* start = bytes)
        {
            for (int position = 0; position < bytes.Length; position += result.Consumed)
            {
                int left = bytes.Length - position;
                ScanOutcome outcome = RequestScanner.Scan(
                    ref state, start + position, left, arguments, default, ref result);
                if (outcome == ScanOutcome.ProtocolError)
                {
                    return Fault(result);
                }

                if (outcome is ScanOutcome.NeedMore or ScanOutcome.BigArgument)
                {
                    break;
                }
            }
        }

        return "";
    }

    private static string Fault(in ScanResult result)
    {
        string text = Encoding.Latin1.GetString(ProtocolErrorText.Text(result.Error));
        char found = (char)result.ErrorByte is '\r' or '\n' ? ' ' : (char)result.ErrorByte;
        return result.Error == ScanError.ExpectedDollar ? $"{text}'{found}'" : text;
    }

    private static void Compare(int port, byte[] bytes)
    {
        string reply = RespClient.Exchange(port, bytes);
        int start = reply.IndexOf("Protocol error:", StringComparison.Ordinal);
        string expected = start < 0 ? "" : reply[start..].TrimEnd('\r', '\n');
        string actual = OwnFault(bytes);
        Assert.True(expected == actual, $"{Convert.ToHexString(bytes)}: \"{expected}\", not \"{actual}\"");
    }
}
