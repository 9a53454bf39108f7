namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>A whole number within bounds.</summary>
public sealed class IntegerDirective : Directive
{
    private readonly long _minimum;
    private readonly long _maximum;
    private readonly bool _isOctal;

    /// <summary>Creates the description; both bounds are allowed values.</summary>
    public IntegerDirective(string name, long defaultValue, long minimum, long maximum, bool isOctal = false)
        : base(name, ValueOf(defaultValue, isOctal))
    {
        _minimum = minimum;
        _maximum = maximum;
        _isOctal = isOctal;
    }

    /// <summary>
    /// The range to which allowed values are clamped.
    /// </summary>
    internal (long Lowest, long Highest) Effective { get; set; } = (long.MinValue, long.MaxValue);

    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (RequireOne(words) is string error)
            return error;
        if (!TryRead(words[0], out long number))
            return _isOctal
                ? "argument couldn't be parsed as an octal number"
                : "argument couldn't be parsed into an integer";
        if (number < _minimum || number > _maximum)
            return _isOctal
                ? $"argument must be between {Octal(_minimum)} and {Octal(_maximum)} inclusive"
                : $"argument must be between {_minimum} and {_maximum} inclusive";
        value = ValueOf(Math.Clamp(number, Effective.Lowest, Effective.Highest), _isOctal);
        return null;
    }

    private bool TryRead(string word, out long number)
    {
        if (!_isOctal)
            return DecimalText.TryParse(word, out number);
        number = 0;
        int start = word.Length > 0 && word[0] is '-' or '+' ? 1 : 0;
        if (word.Length - start is 0 or > 20)
            return false;
        foreach (char digit in word.AsSpan(start))
        {
            if (digit is < '0' or > '7')
                return false;
            number = number * 8 + (digit - '0');
        }
        number = word[0] == '-' ? -number : number;
        return true;
    }

    private static string Octal(long number) => Convert.ToString(number, 8);

    private static DirectiveValue ValueOf(long number, bool isOctal) =>
        new(isOctal ? Octal(number) : number.ToString(CultureInfo.InvariantCulture), number);
}
