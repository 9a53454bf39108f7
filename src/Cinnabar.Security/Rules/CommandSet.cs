namespace Cinnabar.Security.Rules;

/// <summary>A set of commands by their numbers.</summary>
internal sealed class CommandSet
{
    private const int WordBits = 64;
    private readonly ulong[] _words;

    /// <summary>An empty set for numbers below an end.</summary>
    public CommandSet(int numberEnd) => _words = new ulong[(numberEnd + WordBits - 1) / WordBits];

    /// <summary>A copy.</summary>
    public CommandSet(CommandSet other) => _words = [.. other._words];

    /// <summary>Whether a command is in the set.</summary>
    public bool Has(int number)
    {
        Debug.Assert(number > 0, "there is no command 0");
        return (_words[number / WordBits] >> (number % WordBits) & 1) != 0;
    }

    /// <summary>Puts a command in or takes it out.</summary>
    public void Set(int number, bool isIn)
    {
        Debug.Assert(number > 0, "there is no command 0");
        ulong bit = 1UL << (number % WordBits);
        if (isIn)
            _words[number / WordBits] |= bit;
        else
            _words[number / WordBits] &= ~bit;
    }

    /// <summary>Puts all commands in, or takes all out.</summary>
    public void SetAll(bool isIn) => Array.Fill(_words, isIn ? ulong.MaxValue : 0);
}
