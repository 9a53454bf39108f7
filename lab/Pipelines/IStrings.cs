namespace Cinnabar.Lab.Pipelines;

/// <summary>A dictionary of strings that all connections use at once.</summary>
internal interface IStrings
{
    /// <summary>The value of a key, or null.</summary>
    string? Find(string key);

    /// <summary>Gives a key a value.</summary>
    void Set(string key, string value);
}
