using System;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Profile;

/// <summary>
/// Writes a profile as the native compiler reads it (<c>--mibc</c>): an assembly that never runs. Its method
/// <c>AssemblyDictionary</c> names groups of methods, each a method whose instructions are the profile:
/// <code>
///   ldtoken METHOD
///   ldstr   "InstrumentationDataStart"
///   ldc.i4  15, OFFSET, KIND, COUNT, OTHER     a record; 15: all four follow
///   ldc.i4  VALUE | ldtoken TYPE …             its values; 0: none, 1: one that is not known
///   ldstr   "InstrumentationDataEnd"
///   pop
/// </code>
/// </summary>
internal sealed class ProfileModule
{
    private const int AllFields = 15;
    private const int UnknownHandle = 1;
    private const string Group = "Assemblies_cinnabar-server;_1";

    private readonly MetadataBuilder _metadata = new();
    private readonly InstructionEncoder _code = new(new BlobBuilder());
    private readonly ProfileReferences _references;

    /// <summary>Makes an empty one.</summary>
    public ProfileModule() => _references = new ProfileReferences(_metadata);

    /// <summary>Adds a method.</summary>
    /// <param name="method">The method.</param>
    /// <param name="profiled">What was counted in it.</param>
    public void Add(DefinedMethod method, ProfiledMethod profiled)
    {
        Load(_references.Method(method));
        _code.LoadString(_metadata.GetOrAddUserString("InstrumentationDataStart"));
        foreach (ProfileRecord record in profiled.Records)
        {
            foreach (int field in (ReadOnlySpan<int>)
                [AllFields, record.Offset, record.Kind, record.Count, record.Other])
            {
                _code.LoadConstantI4(field);
            }

            foreach (string value in record.Values)
            {
                if (record.IsNumeric)
                    LoadNumber(long.Parse(value, CultureInfo.InvariantCulture));
                else
                    LoadHandle(value);
            }
        }

        _code.LoadString(_metadata.GetOrAddUserString("InstrumentationDataEnd"));
        _code.OpCode(ILOpCode.Pop);
    }

    /// <summary>Writes all that was added. The same methods make the same bytes.</summary>
    public void Write(string path)
    {
        var dictionary = new InstructionEncoder(new BlobBuilder());
        dictionary.LoadString(_metadata.GetOrAddUserString("cinnabar-server;"));
        dictionary.OpCode(ILOpCode.Ldtoken);
        dictionary.Token(MetadataTokens.MethodDefinitionHandle(1));
        dictionary.OpCode(ILOpCode.Pop);
        dictionary.OpCode(ILOpCode.Ret);
        _code.OpCode(ILOpCode.Ret);
        StringHandle name = _metadata.GetOrAddString("server");
        _metadata.AddModule(0, name, _metadata.GetOrAddGuid(default), default, default);
        _metadata.AddAssembly(name, new Version(1, 0, 0, 0), default, default, default, default);
        _metadata.AddTypeDefinition(default, default, _metadata.GetOrAddString("<Module>"), default,
            MetadataTokens.FieldDefinitionHandle(1), MetadataTokens.MethodDefinitionHandle(1));
        var bodies = new BlobBuilder();
        var encoder = new MethodBodyStreamEncoder(bodies);
        AddFunction(Group, encoder.AddMethodBody(_code));
        AddFunction("AssemblyDictionary", encoder.AddMethodBody(dictionary));
        var file = new BlobBuilder();
        new ManagedPEBuilder(new PEHeaderBuilder(imageCharacteristics: Characteristics.Dll),
            new MetadataRootBuilder(_metadata), bodies, deterministicIdProvider: static _ => default)
            .Serialize(file);
        using FileStream target = File.Create(path);
        file.WriteContentTo(target);
    }

    private void AddFunction(string name, int bodyOffset)
    {
        var signature = new BlobBuilder();
        new BlobEncoder(signature).MethodSignature()
            .Parameters(0, static type => type.Void(), static _ => { });
        _metadata.AddMethodDefinition(MethodAttributes.Public | MethodAttributes.Static, default,
            _metadata.GetOrAddString(name), _metadata.GetOrAddBlob(signature), bodyOffset, default);
    }

    private void LoadNumber(long value)
    {
        if (value == (int)value)
            _code.LoadConstantI4((int)value);
        else
            _code.LoadConstantI8(value);
    }

    // A type is "TypeHandle: NAME, ASSEMBLY, Version=…"; those of generic instances have brackets.
    private void LoadHandle(string value)
    {
        string[] words = value.Split(": ", 2)[^1].Split(", ");
        bool isType = value.StartsWith("TypeHandle: ", StringComparison.Ordinal) && words.Length > 1;
        if (words[0] == "NULL")
            _code.LoadConstantI4(0);
        else if (isType && !words[0].Contains('[', StringComparison.Ordinal))
            Load(_references.Type(words[1], words[0]));
        else
            _code.LoadConstantI4(UnknownHandle);
    }

    private void Load(EntityHandle handle)
    {
        _code.OpCode(ILOpCode.Ldtoken);
        _code.Token(handle);
    }
}
