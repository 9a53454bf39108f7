using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace Profile;

/// <summary>
/// Reads the text that the runtime writes at its end (<c>DOTNET_WritePGOData</c>, <c>DOTNET_PGODataPath</c>):
/// <code>
///   @@@ codehash 0x… methodhash 0x… ilSize 0x… records 0x…
///   MethodName: Namespace.Type.Method
///   Signature: …
///   Schema InstrumentationKind 385 ILOffset 14 Count 1 Other 26
///   4
///   Schema InstrumentationKind 195 ILOffset 32 Count 32 Other 3221225472
///   TypeHandle: Namespace.Type, Assembly, Version=…
/// </code>
/// </summary>
internal static class ProfileText
{
    private const string NamePrefix = "MethodName: ";
    private const string SignaturePrefix = "Signature: ";

    /// <summary>All methods of a file.</summary>
    /// <exception cref="FormatException">The text has another form.</exception>
    public static IEnumerable<ProfiledMethod> Read(string path)
    {
        string[] lines = File.ReadAllLines(path);
        int next = 0;
        while (next < lines.Length)
        {
            if (!lines[next].StartsWith("@@@ ", StringComparison.Ordinal))
            {
                next++;
                continue;
            }

            string size = Word(lines[next++], 6);
            string name = After(NamePrefix, lines[next++]);
            string signature = After(SignaturePrefix, lines[next++]);
            var records = new List<ProfileRecord>();
            while (next < lines.Length && lines[next].StartsWith("Schema ", StringComparison.Ordinal))
                records.Add(ReadRecord(lines, ref next));
            yield return new ProfiledMethod(name, Convert.ToInt32(size, 16),
                signature.Contains("generic ", StringComparison.Ordinal), records);
        }
    }

    private static ProfileRecord ReadRecord(string[] lines, ref int next)
    {
        string line = lines[next++];
        int kind = Number(line, 2), offset = Number(line, 4), count = Number(line, 6);
        var values = new List<string>();
        for (int index = 0; ProfileRecord.HasValues(kind) && index < count; index++)
            values.Add(lines[next++]);
        return new ProfileRecord(kind, offset, count, Number(line, 8), values);
    }

    private static int Number(string line, int index) =>
        unchecked((int)long.Parse(Word(line, index), CultureInfo.InvariantCulture));

    private static string Word(string line, int index)
    {
        string[] words = line.Split(' ');
        return index < words.Length ? words[index]
            : throw new FormatException($"not a profile's line: {line}");
    }

    private static string After(string prefix, string line) =>
        line.StartsWith(prefix, StringComparison.Ordinal) ? line[prefix.Length..]
        : throw new FormatException($"{prefix}is missing: {line}");
}
