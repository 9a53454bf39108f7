using System;
using System.Collections.Generic;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Profile;

/// <summary>The references of a profile's module to types and methods; each is made once.</summary>
/// <param name="metadata">The module's metadata.</param>
internal sealed class ProfileReferences(MetadataBuilder metadata)
{
    private readonly MetadataBuilder _metadata = metadata;
    private readonly Dictionary<string, EntityHandle> _assemblies = [];
    private readonly Dictionary<(string Assembly, string Name), EntityHandle> _types = [];

    /// <summary>The reference to a type.</summary>
    /// <param name="assembly">Where it is defined.</param>
    /// <param name="name">Its name, not of a generic instance.</param>
    public EntityHandle Type(string assembly, string name)
    {
        if (_types.TryGetValue((assembly, name), out EntityHandle known))
            return known;
        int inner = name.LastIndexOf('+');
        int dot = inner < 0 ? name.LastIndexOf('.') : -1;
        EntityHandle scope = inner < 0 ? Assembly(assembly) : Type(assembly, name[..inner]);
        StringHandle space = dot < 0 ? default : _metadata.GetOrAddString(name[..dot]);
        EntityHandle type = _metadata.AddTypeReference(
            scope, space, _metadata.GetOrAddString(name[(Math.Max(inner, dot) + 1)..]));
        _types.Add((assembly, name), type);
        return type;
    }

    /// <summary>The reference to a method.</summary>
    public EntityHandle Method(DefinedMethod method)
    {
        var signature = new BlobBuilder();
        BlobReader source = method.Type.Reader.GetBlobReader(method.Signature);
        CopyMethod(method.Type, ref source, signature);
        EntityHandle type = method.Arguments.Count == 0
            ? Type(method.Type.Assembly, method.Type.Name)
            : Instance(method.Type, method.Arguments);
        return _metadata.AddMemberReference(
            type, _metadata.GetOrAddString(method.Name), _metadata.GetOrAddBlob(signature));
    }

    private TypeSpecificationHandle Instance(DefinedType type, IReadOnlyList<DefinedType> arguments)
    {
        var instance = new BlobBuilder();
        GenericTypeArgumentsEncoder encoder = new BlobEncoder(instance).TypeSpecificationSignature()
            .GenericInstantiation(Type(type.Assembly, type.Name), arguments.Count, type.IsValueType);
        foreach (DefinedType argument in arguments)
            encoder.AddArgument().Type(Type(argument.Assembly, argument.Name), argument.IsValueType);
        return _metadata.AddTypeSpecification(_metadata.GetOrAddBlob(instance));
    }

    private EntityHandle Assembly(string name)
    {
        if (_assemblies.TryGetValue(name, out EntityHandle known))
            return known;
        EntityHandle assembly = _metadata.AddAssemblyReference(
            _metadata.GetOrAddString(name), new Version(0, 0, 0, 0), default, default, default, default);
        _assemblies.Add(name, assembly);
        return assembly;
    }

    // ECMA-335, II.23.2, has the form: all is copied but the types, which have other numbers here.
    private void CopyMethod(DefinedType owner, ref BlobReader source, BlobBuilder target)
    {
        target.WriteByte(source.ReadByte());
        int count = source.ReadCompressedInteger();
        target.WriteCompressedInteger(count);
        for (int index = 0; index <= count; index++)
            CopyType(owner, ref source, target);
    }

    private void CopyType(DefinedType owner, ref BlobReader source, BlobBuilder target)
    {
        var code = (SignatureTypeCode)source.ReadCompressedInteger();
        target.WriteCompressedInteger((int)code);
        switch (code)
        {
            case SignatureTypeCode.Pointer or SignatureTypeCode.ByReference or SignatureTypeCode.SZArray:
                CopyType(owner, ref source, target);
                break;
            case (SignatureTypeCode)SignatureTypeKind.Class or (SignatureTypeCode)SignatureTypeKind.ValueType:
                CopyToken(owner, ref source, target);
                break;
            case SignatureTypeCode.GenericTypeParameter or SignatureTypeCode.GenericMethodParameter:
                target.WriteCompressedInteger(source.ReadCompressedInteger());
                break;
            case SignatureTypeCode.GenericTypeInstance:
                CopyType(owner, ref source, target);
                int count = source.ReadCompressedInteger();
                target.WriteCompressedInteger(count);
                for (int index = 0; index < count; index++)
                    CopyType(owner, ref source, target);
                break;
            case SignatureTypeCode.RequiredModifier or SignatureTypeCode.OptionalModifier:
                CopyToken(owner, ref source, target);
                CopyType(owner, ref source, target);
                break;
            case SignatureTypeCode.FunctionPointer:
                CopyMethod(owner, ref source, target);
                break;
            case SignatureTypeCode.Array:
                throw new NotSupportedException($"{owner.Name} has arrays of several dimensions");
        }
    }

    private void CopyToken(DefinedType owner, ref BlobReader source, BlobBuilder target)
    {
        EntityHandle handle = source.ReadTypeHandle();
        var (assembly, name) = handle.Kind == HandleKind.TypeDefinition
            ? (owner.Assembly, TypeNames.Of(owner.Reader, (TypeDefinitionHandle)handle))
            : TypeNames.Of(owner.Reader, owner.Assembly, (TypeReferenceHandle)handle);
        target.WriteCompressedInteger(CodedIndex.TypeDefOrRefOrSpec(Type(assembly, name)));
    }
}
