package service.connect;

import java.util.List;

/** Schemas and records of tests. */
final class Samples {
    /** Has a property of every type. */
    static final String SCHEMA = """
            node Thing {
              key: String @key  flag: Bool?  small: I32?  big: I64?  small_u: U32?  big_u: U64?
              f: F32?  d: F64?  day: Date?  at: DateTime?  mood: enum(glad, so-so)?
              tags: [String]?  nums: [I64]?  huge: [U64]?  days: [Date]?  vec: Vector(2)?  data: Blob?
              count: I32 @default(7)
            }
            node Place { name: String @key }
            edge Near: Thing -> Thing { since: Date? }
            edge At: Thing -> Thing | Place
            """;

    /** The schema after a change: a property has another name, two are new, and a type. */
    static final String LATER = SCHEMA.replace("flag: Bool?", "sign: Bool? @rename_from(\"flag\")  extra: String?")
                    .replace("name: String @key", "name: String @key  size: I64?")
            + "node Added { name: String @key }\n";

    /** Entities with every value that is unlike others. */
    static final List<String> RECORDS = List.of(
                    "{'type':'Thing','data':{'key':'nothing'}}",
                    "{'type':'Thing','data':{'key':'least','flag':false,'small':-2147483648,'big':-9223372036854775808,"
                            + "'small_u':0,'big_u':0,'f':1.4e-45,'d':4.9e-324,'day':'0001-01-01','at':'0001-01-01T00:00:00Z',"
                            + "'mood':'so-so','tags':[],'nums':[],'huge':[0],'days':['0001-01-01'],'vec':[-1,0],"
                            + "'data':'base64:','count':0}}",
                    "{'type':'Thing','data':{'key':'most','flag':true,'small':2147483647,'big':9223372036854775807,"
                            + "'small_u':4294967295,'big_u':18446744073709551615,'f':3.4028235e38,'d':1.7976931348623157e308,"
                            + "'day':'9999-12-31','at':'9999-12-31T23:59:59.999Z','mood':'glad','tags':['','a','\\u0000'],"
                            + "'nums':[9223372036854775807,-1],'huge':[18446744073709551615],'days':['9999-12-31'],"
                            + "'vec':[0.1,3.4e38],'data':'base64:AAECAwQ=','count':1}}",
                    "{'type':'Thing','data':{'key':'Ünïcode 🦜 \\\" \\\\ / \\u2028 العربية','tags':['🦜','\\u0001'],'f':-0.1,"
                            + "'d':0.1,'at':'1969-12-31T23:59:59.999Z','day':'1969-12-31'}}",
                    "{'type':'Place','data':{'name':'nothing'}}",
                    "{'edge':'Near','from':'least','to':'most','data':{'id':'n1','since':'1833-06-05'}}",
                    "{'edge':'Near','from':'least','to':'least','data':{'id':'n2'}}",
                    "{'edge':'At','from':'most','to':{'type':'Place','id':'nothing'},'data':{'id':'a1'}}",
                    "{'edge':'At','from':'most','to':{'type':'Thing','id':'nothing'},'data':{'id':'a2'}}")
            .stream()
            .map(line -> line.replace('\'', '"'))
            .toList();

    private Samples() {}
}
