using System.Collections.Generic;
using System.Reflection.Metadata;

namespace Profile;

/// <summary>A method in its assembly.</summary>
/// <param name="Type">The method's type.</param>
/// <param name="Arguments">The type's arguments, if it is an instance of a generic one.</param>
/// <param name="Name">The method's name.</param>
/// <param name="Signature">Its signature.</param>
internal sealed record DefinedMethod(
    DefinedType Type, IReadOnlyList<DefinedType> Arguments, string Name, BlobHandle Signature);
