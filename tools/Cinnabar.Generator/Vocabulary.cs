using System;
using System.Collections.Generic;
using Microsoft.CodeAnalysis;

namespace Cinnabar.Generator;

/// <summary>
/// The words a spec may use for a flag, taken from the enum that gives them their bits. The enum is
/// written by hand in Cinnabar.Engine.Specs; its order is the order in which COMMAND INFO lists the words.
/// "no_auth" names the member NoAuth.
/// </summary>
internal sealed class Vocabulary
{
    private readonly Dictionary<string, long> _values = new Dictionary<string, long>();
    private readonly string _what;

    private Vocabulary(string what)
    {
        _what = what;
    }

    public static Vocabulary Read(Compilation compilation, string typeName)
    {
        INamedTypeSymbol? type = compilation.GetTypeByMetadataName(typeName);
        if (type == null) throw new SpecException("the enum " + typeName + " is missing", 0);
        var words = new Vocabulary(type.Name);
        foreach (ISymbol member in type.GetMembers())
        {
            if (member is IFieldSymbol { HasConstantValue: true } field)
                words._values.Add(Fold(field.Name), Convert.ToInt64(field.ConstantValue));
        }

        return words;
    }

    public long this[string word, int line]
    {
        get
        {
            if (_values.TryGetValue(Fold(word), out long value)) return value;
            throw new SpecException("\"" + word + "\" is no " + _what, line);
        }
    }

    /// <summary>The sum of the words' bits; a word twice is an error.</summary>
    public long Sum(List<string> words, int line)
    {
        long sum = 0;
        foreach (string word in words)
        {
            long bit = this[word, line];
            if ((sum & bit) != 0) throw new SpecException("\"" + word + "\" stands twice", line);
            sum |= bit;
        }

        return sum;
    }

    /// <summary>The words in the order of their bits, without those that are hidden from clients.</summary>
    public List<string> Shown(List<string> words, int line)
    {
        long hidden = _values.TryGetValue("hidden", out long mask) ? mask : 0;
        var shown = new List<string>();
        foreach (string word in words)
        {
            if ((this[word, line] & hidden) == 0) shown.Add(word);
        }

        shown.Sort((a, b) => this[a, line].CompareTo(this[b, line]));
        return shown;
    }

    private static string Fold(string word) => word.Replace("_", "").ToLowerInvariant();
}
