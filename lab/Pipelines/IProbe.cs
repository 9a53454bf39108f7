namespace Cinnabar.Lab.Pipelines;

/// <summary>A key as the caller has it, before it becomes one that the dictionary keeps.</summary>
internal interface IProbe<TKey>
{
    /// <summary>Its hash; clients must not be able to choose it.</summary>
    uint Hash { get; }

    /// <summary>Whether a kept key is the same.</summary>
    bool Matches(TKey key);

    /// <summary>The key to keep.</summary>
    TKey ToKey();
}
