using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>
/// A document as a file. It is replaced as a whole after every step, so that it has all results however the
/// lab ends.
///
/// Each member stands on a line of its own, and each element of a member that is a list: read by eye and
/// compared by line, without the size of a fully indented file.
/// </summary>
internal sealed class ResultFile(string path)
{
    private const int DigitCount = 6;

    private static readonly JsonSerializerOptions s_options = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters = { new ShortNumber() },
        TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
    };

    /// <summary>Where it is.</summary>
    public string Path => path;

    /// <summary>Writes it.</summary>
    public void Save(LabDocument document)
    {
        string folder = System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(path))!;
        Directory.CreateDirectory(folder);
        string draft = path + ".new";
        File.WriteAllText(draft, Text(document));
        File.Move(draft, path, overwrite: true);
    }

    /// <summary>Reads it; null where there is none.</summary>
    /// <exception cref="LabException">It is no such document.</exception>
    public LabDocument? Load()
    {
        if (!File.Exists(path)) return null;
        try
        {
            var document = JsonSerializer.Deserialize<LabDocument>(File.ReadAllText(path), s_options);
            return document?.Schema == LabDocument.CurrentSchema ? document
                : throw new LabException($"{path}: of another version");
        }
        catch (JsonException wrong)
        {
            throw new LabException($"{path}: {wrong.Message}");
        }
    }

    /// <summary>Whether two plans measure the same.</summary>
    public static bool IsSame(LabPlan one, LabPlan other) =>
        JsonSerializer.Serialize(one, s_options) == JsonSerializer.Serialize(other, s_options);

    private static string Text(LabDocument document)
    {
        using JsonDocument whole = JsonSerializer.SerializeToDocument(document, s_options);
        IEnumerable<string> members = whole.RootElement.EnumerateObject()
            .Select(member => $"{JsonSerializer.Serialize(member.Name, s_options)}: {Lines(member.Value)}");
        return new StringBuilder("{\n").AppendJoin(",\n", members).Append("\n}\n").ToString();
    }

    private static string Lines(JsonElement value) =>
        value.ValueKind != JsonValueKind.Array || value.GetArrayLength() == 0 ? value.GetRawText()
            : $"[\n{string.Join(",\n", value.EnumerateArray().Select(item => item.GetRawText()))}\n]";

    /// <summary>Six digits are more than any figure here has that means something.</summary>
    private sealed class ShortNumber : JsonConverter<double>
    {
        public override double Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) =>
            reader.GetDouble();

        public override void Write(Utf8JsonWriter writer, double value, JsonSerializerOptions options)
        {
            double size = value == 0 ? 0 : Math.Floor(Math.Log10(Math.Abs(value)));
            int digits = (int)Math.Clamp(DigitCount - 1 - size, 0, 12);
            writer.WriteNumberValue(Math.Round(value, digits));
        }
    }
}
