using Microsoft.CodeAnalysis;

namespace Cinnabar.Generator;

/// <summary>All vocabularies of a spec.</summary>
internal sealed class SpecVocabulary
{
    private const string Specs = "Cinnabar.Engine.Specs.";

    public SpecVocabulary(Compilation compilation)
    {
        Flags = Vocabulary.Read(compilation, Specs + "CommandFlags");
        Categories = Vocabulary.Read(compilation, "Cinnabar.Security.Rules.AclCategories");
        KeyFlags = Vocabulary.Read(compilation, Specs + "KeySpecFlags");
        Locks = Vocabulary.Read(compilation, Specs + "LockScope");
        Costs = Vocabulary.Read(compilation, Specs + "CommandCost");
        Begins = Vocabulary.Read(compilation, Specs + "KeyBegin");
        Finds = Vocabulary.Read(compilation, Specs + "KeyFind");
    }

    public Vocabulary Flags { get; }

    public Vocabulary Categories { get; }

    public Vocabulary KeyFlags { get; }

    public Vocabulary Locks { get; }

    public Vocabulary Costs { get; }

    public Vocabulary Begins { get; }

    public Vocabulary Finds { get; }
}
