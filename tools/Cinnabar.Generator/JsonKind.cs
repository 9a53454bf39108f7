namespace Cinnabar.Generator;

/// <summary>The kinds of JSON values.</summary>
internal enum JsonKind
{
    Null,
    Boolean,
    Number,
    Text,
    Array,
    Object,
}
