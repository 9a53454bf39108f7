using System.Reflection.Metadata;

namespace Profile;

/// <summary>A method in its assembly.</summary>
/// <param name="Reader">The assembly's metadata.</param>
/// <param name="Assembly">Its name.</param>
/// <param name="Type">The method's type.</param>
/// <param name="Name">The method's name.</param>
/// <param name="Signature">Its signature.</param>
internal sealed record DefinedMethod(
    MetadataReader Reader, string Assembly, TypeDefinitionHandle Type, string Name, BlobHandle Signature);
