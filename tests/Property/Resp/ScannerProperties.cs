using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Resp;

public sealed class ScannerProperties
{
    private const int RoundCount = 4;
    private const int InputCount = 20_000;
    private const int InputSizeMax = 1 << 22;

    private static readonly string[] s_pieces =
    [
        "*1\r\n", "*2\r\n", "*3\r\n", "*12\r\n", "*0\r\n", "*-1\r\n", "*x\r\n", "*", "$", "$4\r\n",
        "$1\r\n", "$0\r\n", "$-1\r\n", "$20000\r\n", "PING", "PING\r\n", "\r\n", "\r", "\n", " ", "\"", "'",
        "\\", "a", "0", "1", "\0", "$4\r\nPING\r\n", "$0\r\n\r\n", "$1\r\na\r\n",
        "$16\r\n0123456789abcdef\r\n", "\"a\\x41\\n\" 'b\\''\r\n", "$04\r\n", "*2147483647\r\n",
        "$536870912\r\n", "$99999999999999999999\r\n", "\u00ff",
    ];

    /// <summary>Hostile input, cut at random, gives the outcomes of the model, whatever the cuts; no byte
    /// past its end is read, and none of an argument that an earlier scan has found.</summary>
    [Fact]
    public void AgreesWithTheModelHoweverTheInputIsCut() => Seeded.Run(RoundCount, seed =>
    {
        Random random = new((int)seed);
        using GuardedInput memory = new(InputSizeMax);
        for (int count = 0; count < InputCount; count++)
        {
            byte[] input = RandomInput(random);
            List<string> expected = ScannerModel.Scan(input);
            Assert.Equal(expected, Scan(memory, input, random, cutCount: 0));
            Assert.Equal(expected, Scan(memory, input, random, cutCount: random.Next(1, 8)));
        }
    });

    /// <summary>Commands that were encoded come out as they went in, also big arguments beside the
    /// input.</summary>
    [Fact]
    public void FindsEncodedCommands() => Seeded.Run(RoundCount, seed =>
    {
        Random random = new((int)seed);
        using GuardedInput memory = new(InputSizeMax);
        for (int count = 0; count < 2_000; count++)
        {
            List<string> expected = [];
            StringBuilder input = new();
            for (int commands = random.Next(1, 6); commands > 0; commands--)
            {
                expected.Add(Encode(input, random));
            }

            expected.Add("NeedMore");
            byte[] bytes = Encoding.Latin1.GetBytes(input.ToString());
            Assert.Equal(expected, Scan(memory, bytes, random, cutCount: random.Next(0, 8)));
        }
    });

    /// <summary>A command that comes in byte by byte is the same as in one piece.</summary>
    [Fact]
    public void FindsACommandThatArrivesByteByByte() => Seeded.Run(RoundCount, seed =>
    {
        Random random = new((int)seed);
        using GuardedInput memory = new(InputSizeMax);
        for (int count = 0; count < 50; count++)
        {
            StringBuilder input = new();
            List<string> expected = [Encode(input, random), "NeedMore"];
            byte[] bytes = Encoding.Latin1.GetBytes(input.ToString());
            if (bytes.Length < 5_000)
            {
                Assert.Equal(expected, Scan(memory, bytes, random, cutCount: int.MaxValue));
            }
        }
    });

    private static string Encode(StringBuilder input, Random random)
    {
        string[] words = new string[random.Next(1, random.Next(2, 120))];
        input.Append('*').Append(words.Length).Append("\r\n");
        for (int index = 0; index < words.Length; index++)
        {
            int lengthMax = random.Next(40) switch { 0 => 30_000, < 8 => 1_200, < 20 => 120, _ => 12 };
            int length = random.Next(lengthMax);
            words[index] = new string((char)random.Next(256), length);
            input.Append('$').Append(length).Append("\r\n").Append(words[index]).Append("\r\n");
        }

        return "Command " + string.Join('|', words);
    }

    private static byte[] RandomInput(Random random)
    {
        string text = string.Concat(random.GetItems(s_pieces, random.Next(1, 12)));
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        for (int flips = random.Next(-4, 3); flips > 0; flips--)
        {
            bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
        }

        return bytes;
    }

    /// <summary>Scans all commands of the input; each scan sees the input up to the next cut.</summary>
    /// <param name="memory">Where the input lies.</param>
    /// <param name="input">Its bytes.</param>
    /// <param name="random">Chooses the cuts.</param>
    /// <param name="cutCount">How many there are; <see cref="int.MaxValue"/>: behind every byte.</param>
    private static unsafe List<string> Scan(GuardedInput memory, byte[] input, Random random, int cutCount)
    {
        using ArgumentBuffer arguments = new();
        ScanLimits limits = new(bigArgumentBytes: 10_000);
        ScanState state = default;
        ScanResult result = default;
        List<string> outcomes = [];
        bool isEveryByte = cutCount == int.MaxValue;
        int start = 0;
        int end = cutCount == 0 ? input.Length : isEveryByte ? 0 : random.Next(input.Length);
        while (true)
        {
            byte* data = memory.Place(input.AsSpan(start, end - start));
            // What the scans before have passed is not to be read again.
            int passed = state.ArgumentsLeft > 0 ? state.Position : 0;
            new Span<byte>(data, passed).Fill(0xEE);
            ScanOutcome outcome = RequestScanner.Scan(
                ref state, data, end - start, arguments, limits, ref result);
            if (outcome is ScanOutcome.Command or ScanOutcome.Empty)
            {
                input.AsSpan(start, passed).CopyTo(new Span<byte>(data, passed));
                outcomes.Add(Describe(outcome, arguments, result));
                Assert.True(state.IsFresh);
                start += result.Consumed;
                arguments.Clear();
            }
            else if (outcome == ScanOutcome.ProtocolError)
            {
                Assert.Equal(0, arguments.Count);
                outcomes.Add($"{result.Error}");
                return outcomes;
            }
            else if (end == input.Length)
            {
                outcomes.Add("NeedMore");
                return outcomes;
            }
            else
            {
                end = isEveryByte ? end + 1
                    : --cutCount <= 0 ? input.Length : random.Next(end, input.Length + 1);
            }
        }
    }

    private static unsafe string Describe(
        ScanOutcome outcome, ArgumentBuffer arguments, in ScanResult result)
    {
        if (outcome == ScanOutcome.Empty)
        {
            return "Empty";
        }

        string[] words = new string[result.ArgumentCount];
        for (int index = 0; index < words.Length; index++)
        {
            words[index] = Encoding.Latin1.GetString(arguments.Items[result.FirstArgument + index].Span);
        }

        return "Command " + string.Join('|', words);
    }
}
